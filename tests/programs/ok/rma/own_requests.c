/* expect: ok - Rput, Raccumulate, Rget and their Waits; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *v, a[100], b[100];
    MPI_Request r[2];
    MPI_Win_allocate(300 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    for (int i = 0; i < 300; i++) v[i] = 0;
    for (int i = 0; i < 100; i++) a[i] = rank;
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(a, 100, MPI_DOUBLE, (rank + 1) % size, 100 * rank, 100, MPI_DOUBLE, win, &r[0]);
    MPI_Raccumulate(a, 10, MPI_DOUBLE, rank, 100 * rank, 10, MPI_DOUBLE, MPI_SUM, win, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 100; i++) a[i] = -1;
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget(b, 100, MPI_DOUBLE, (rank + 1) % size, 100 * rank, 100, MPI_DOUBLE, win, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    if (b[5] != rank) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
