/* expect: rma-epoch - rank 1 is locked and rank 0's cell is read; ranks: 3; line: 17 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, *cell, got = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    MPI_Win_fence(0, win);
    *cell = rank;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == size - 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
    printf("rank %d: %d\n", rank, got);
    MPI_Finalize();
    return 0;
}
