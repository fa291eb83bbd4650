/* expect: ok - several locks at once, places of one's own; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *v, x = 1;
    MPI_Win_allocate(size * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    for (int i = 0; i < size; i++) v[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
    for (int i = 0; i < size; i++) MPI_Put(&x, 1, MPI_INT, i, rank, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    for (int i = 0; i < size; i++) MPI_Win_unlock(i, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (v[i] != 1) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
