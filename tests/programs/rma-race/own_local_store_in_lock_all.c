/* expect: rma-race - the owner stores to all of its window while others put to it; ranks: 2; line: 13|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x = 1;
    MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(&x, 1, MPI_INT, 1 - rank, 5, 1, MPI_INT, win);
    for (int i = 0; i < 10; i++) v[i] = 2;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
