/* expect: ok - a ready send after the receiver said that its receive is posted; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define N 20000

int main(int argc, char **argv) {
    static int data[N];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 5; round++) {
        if (rank == 0) {
            data[0] = round;
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(data, N, MPI_INT, 1, round, MPI_COMM_WORLD);
        } else {
            MPI_Request request;
            MPI_Irecv(data, N, MPI_INT, 0, round, MPI_COMM_WORLD, &request);
            MPI_Send(NULL, 0, MPI_BYTE, 0, 99, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    printf("rank %d: %d\n", rank, data[0]);
    MPI_Finalize();
    return 0;
}
