/* expect: rma-race - Put and Get of one rank have no order without a flush; ranks: 2; line: 13|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x = 1, y = 0;
    MPI_Win_allocate(4 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
    MPI_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Get(&y, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_unlock(1 - rank, win);
    printf("%d\n", y);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
