/* expect: rma-race|buffer-race - the origin buffer of Puts is changed between them, without a flush; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value, *base;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 8; i++) {
        value = 10 * rank + i;
        MPI_Put(&value, 1, MPI_INT, 1 - rank, i, 1, MPI_INT, win);
    }
    MPI_Win_flush(1 - rank, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    printf("rank %d: %d\n", rank, base[7]);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
