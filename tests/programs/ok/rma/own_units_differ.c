/* expect: ok - each rank has its own displacement unit; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *v;
    short x = 3;
    MPI_Win_allocate(64, rank ? 1 : 8, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    memset(v, 0, 64);
    MPI_Win_fence(0, win);
    MPI_Put(&x, 1, MPI_SHORT, 1 - rank, rank ? 7 : 62, 1, MPI_SHORT, win);
    MPI_Win_fence(0, win);
    if (v[rank ? 62 : 56] != 3) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
