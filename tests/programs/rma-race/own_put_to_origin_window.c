/* expect: rma-race - what one rank puts from is what another one puts to; ranks: 2; line: 14|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x = 1;
    MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&v[0], 2, MPI_INT, 1, 5, 2, MPI_INT, win);
    else
        MPI_Put(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
