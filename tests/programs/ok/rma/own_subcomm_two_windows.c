/* expect: ok - windows on a communicator that is freed before them, and on all ranks; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half;
    MPI_Win other;
    int a[2] = {0}, *b, x = rank, me;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &me);
    MPI_Win_create(a, sizeof a, sizeof(int), MPI_INFO_NULL, half, &win);
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b, &other);
    MPI_Comm_free(&half);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    MPI_Put(&x, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, win);
    MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, other);
    MPI_Win_fence(0, other);
    MPI_Win_fence(0, win);
    if (a[0] != (rank + 2) % 4 || *b != (rank + 3) % 4) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Win_free(&other);
    MPI_Finalize();
    return 0;
}
