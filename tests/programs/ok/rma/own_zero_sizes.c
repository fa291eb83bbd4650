/* expect: ok - a window without memory, accesses without data; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *v, x = 4;
    MPI_Win_allocate(rank ? 0 : 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Put(&x, 0, MPI_INT, 0, 0, 0, MPI_INT, win);
    MPI_Get(NULL, 0, MPI_INT, (rank + 1) % size, 0, 0, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
