/* expect: rma-epoch - the fence before the Put said MPI_MODE_NOSUCCEED; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x = 3;
    MPI_Win_allocate(4 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
