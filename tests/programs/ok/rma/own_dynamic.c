/* expect: ok - a dynamic window; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine[10], x = 7, got = 0;
    MPI_Aint here, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, mine, sizeof mine);
    MPI_Get_address(mine, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock_all(0, win);
    MPI_Put(&x, 1, MPI_INT, 1 - rank, there + 3 * sizeof(int), 1, MPI_INT, win);
    MPI_Win_flush(1 - rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, there + 3 * sizeof(int), 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    if (got != 7) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
