/* expect: ok - receives posted before the sends may complete in any order of tags; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define M 16

int main(int argc, char **argv) {
    int rank, value[M];
    MPI_Request request[M];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < M; i++) MPI_Irecv(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = M - 1; i >= 0; i--) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = M - 1; i >= 0; i--) {
            value[i] = i * i;
            MPI_Send(&value[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    }
    printf("rank %d: %d\n", rank, value[M - 1]);
    MPI_Finalize();
    return 0;
}
