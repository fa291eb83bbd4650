/* expect: rma-race - the owner stores to the place that the neighbour puts to in this epoch; ranks: 2; line: 14|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value;
    int *cell;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    value = 50 + rank;
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    cell[0] = rank;
    MPI_Win_fence(0, win);
    printf("rank %d: %d\n", rank, cell[0]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
