/* expect: rma-race - one rank puts what another gets in the same epoch; ranks: 3; line: 13|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double table[4] = {1, 2, 3, 4}, x = 9, y = 0;
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(table, sizeof table, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(&x, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, win);
    if (rank == 2) MPI_Get(&y, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d: %g\n", rank, y);
    MPI_Finalize();
    return 0;
}
