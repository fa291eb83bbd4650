/* expect: ok - Get_accumulate of all ranks, and a look with MPI_NO_OP; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long v[3] = {0}, one[3] = {1, 2, 3}, got[3], none[3];
    MPI_Win_create(v, sizeof v, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Get_accumulate(one, 3, MPI_LONG, got, 3, MPI_LONG, 0, 0, 3, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, none, 3, MPI_LONG, 0, 0, 3, MPI_LONG, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    if (none[0] < got[0] + 1) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && v[2] != 3 * size) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
