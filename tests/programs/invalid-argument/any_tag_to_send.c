/* expect: invalid-argument - MPI_ANY_TAG is for receives; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Ssend(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, x);
    MPI_Finalize();
    return 0;
}
