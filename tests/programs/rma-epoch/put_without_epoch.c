/* expect: rma-epoch - a Put with no fence, start or lock before it; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, cell = 0, value = 6;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    printf("rank %d: %d\n", rank, cell);
    MPI_Finalize();
    return 0;
}
