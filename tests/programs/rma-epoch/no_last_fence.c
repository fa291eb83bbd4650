/* expect: rma-epoch - the window is freed with the fence's epoch open, a Put in it; ranks: 2; line: 13|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, v[4] = {0}, value;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank + 1;
    MPI_Win_create(v, sizeof v, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, win);
    MPI_Win_free(&win);
    printf("rank %d: %d\n", rank, v[2]);
    MPI_Finalize();
    return 0;
}
