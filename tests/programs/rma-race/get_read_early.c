/* expect: rma-race|buffer-race - what Get fetches is used before the fence; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, cell, got = 0, doubled;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cell = 20 + rank;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    doubled = 2 * got;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d: %d %d\n", rank, got, doubled);
    MPI_Finalize();
    return 0;
}
