/* expect: root-mismatch - the last rank thinks that the result goes to it; ranks: 3; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    double x, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int root = rank == size - 1 ? rank : 0;
    x = 0.5 * rank;
    MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) printf("sum on rank %d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
