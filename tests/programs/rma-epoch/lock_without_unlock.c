/* expect: rma-epoch - the lock is never given back; ranks: 2; line: 12|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, *cell, value = 8;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
    }
    MPI_Win_free(&win);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
