/* expect: buffer-race - what is being received is passed on before it has come; ranks: 3; line: 15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, data[4] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        data[3] = 8;
        MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Send(data, 4, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d\n", rank, data[3]);
    MPI_Finalize();
    return 0;
}
