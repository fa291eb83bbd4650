/* expect: ok - Put, Get and Accumulate in epochs between fences, local work between others; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, shelf[4] = {0}, mine, got = -1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size;
    mine = 100 + rank;
    MPI_Win_create(shelf, sizeof shelf, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&mine, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    shelf[2] = shelf[0] + shelf[1];
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, right, 2, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    printf("rank %d: %d\n", rank, got);
    MPI_Finalize();
    return 0;
}
