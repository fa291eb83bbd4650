/* expect: invalid-argument|buffer-race - the same array as input and output of Allreduce; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double sums[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) sums[i] = rank + i;
    MPI_Allreduce(sums, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, sums[0]);
    MPI_Finalize();
    return 0;
}
