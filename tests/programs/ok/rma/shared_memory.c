/* expect: ok - a shared-memory window: direct loads and stores, ordered by Win_sync and barriers; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, unit;
    MPI_Aint bytes;
    double *mine, *theirs;
    MPI_Comm node;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Win_allocate_shared(100 * sizeof(double), sizeof(double), MPI_INFO_NULL, node, &mine, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 100; i++) mine[i] = rank + i;
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &theirs);
    double last = theirs[99];
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    printf("rank %d: %g\n", rank, last);
    MPI_Finalize();
    return 0;
}
