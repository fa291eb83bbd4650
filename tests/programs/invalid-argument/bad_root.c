/* expect: invalid-argument - the root is the number of ranks, one more than the last; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, size, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
