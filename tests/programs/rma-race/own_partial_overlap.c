/* expect: rma-race - one byte is in both; ranks: 3; line: 13|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char v[64], x[16] = {1};
    MPI_Win_create(v, sizeof v, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(x, 16, MPI_CHAR, 0, 8, 16, MPI_CHAR, win);
    if (rank == 2) MPI_Get(x, 16, MPI_CHAR, 0, 23, 16, MPI_CHAR, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
