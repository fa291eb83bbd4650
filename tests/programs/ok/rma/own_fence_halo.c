/* expect: ok - halo exchange by Put in the epochs of fences, work on the interior meanwhile; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *u;
    int n = 1000;
    MPI_Win_allocate((n + 2) * sizeof *u, sizeof *u, MPI_INFO_NULL, MPI_COMM_WORLD, &u, &win);
    for (int i = 0; i < n + 2; i++) u[i] = rank;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int step = 0; step < 10; step++) {
        int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
        MPI_Put(&u[1], 1, MPI_DOUBLE, left, n + 1, 1, MPI_DOUBLE, win);
        MPI_Put(&u[n], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        for (int i = 2; i < n; i++)
            if (u[i] < 0) u[i] = 1;
        MPI_Win_fence(0, win);
        for (int i = 1; i <= n; i++) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPRECEDE, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
