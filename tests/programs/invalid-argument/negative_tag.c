/* expect: invalid-argument - a tag computed from the rank is negative; ranks: 2; line: 11|13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int tag = rank - 10;
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, x);
    MPI_Finalize();
    return 0;
}
