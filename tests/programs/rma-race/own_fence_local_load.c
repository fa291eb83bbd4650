/* expect: rma-race - the owner reads what is being put, before the fence; ranks: 2; line: 14|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *v, x = rank;
    MPI_Win_allocate(4 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    v[0] = 3;
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (rank == 0) printf("%d\n", v[0]);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
