/* expect: ok - a nonblocking barrier and a broadcast order the accesses; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x = rank;
    MPI_Request r;
    MPI_Win_allocate(4 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    v[0] = 9;
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    if (rank == 1) {
        MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    MPI_Bcast(&x, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank == 0 && v[0] != 1) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 2) {
        MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush_local(0, win);
        if (x != 1) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
