/* expect: rma-race - accumulates of two operators on one place in one epoch; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, cell = 1, two = 2;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank > 0) MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, rank == 1 ? MPI_SUM : MPI_PROD, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d: %d\n", rank, cell);
    MPI_Finalize();
    return 0;
}
