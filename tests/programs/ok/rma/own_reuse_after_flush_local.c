/* expect: ok - a buffer is used again after MPI_Win_flush_local; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x;
    MPI_Win_allocate(100 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
    for (int i = 0; i < 100; i++) {
        x = i;
        MPI_Put(&x, 1, MPI_INT, 1 - rank, i, 1, MPI_INT, win);
        MPI_Win_flush_local(1 - rank, win);
    }
    MPI_Win_unlock(1 - rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (v[99] != 99) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
