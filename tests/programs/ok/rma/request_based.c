/* expect: ok - Rput and Rget, whose requests are completed before their buffers are used; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define N 100

int main(int argc, char **argv) {
    int rank;
    double out[N], back[N], *base;
    MPI_Win win;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < N; i++) out[i] = 10 * rank + i;
    MPI_Win_lock_all(0, win);
    MPI_Rput(out, N, MPI_DOUBLE, 1 - rank, 0, N, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    out[0] = -1; /* locally complete: ours again */
    MPI_Win_flush(1 - rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget(back, N, MPI_DOUBLE, 1 - rank, 0, N, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double last = back[N - 1];
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    printf("rank %d: %g %g\n", rank, last, back[0]);
    MPI_Finalize();
    return 0;
}
