/* expect: rma-epoch|invalid-argument|mpi-error|crash - the last Put goes beyond the end of the target's window; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>
#define N 10

int main(int argc, char **argv) {
    int rank, v[N] = {0}, value = 7;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(v, sizeof v, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        for (int i = 0; i <= N; i++) MPI_Put(&value, 1, MPI_INT, 1, i, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d: %d\n", rank, v[N - 1]);
    MPI_Finalize();
    return 0;
}
