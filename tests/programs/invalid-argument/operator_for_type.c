/* expect: invalid-argument|mpi-error - a bitwise operator on doubles; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double flags, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    flags = 1 << rank;
    MPI_Allreduce(&flags, &all, 1, MPI_DOUBLE, MPI_BOR, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, all);
    MPI_Finalize();
    return 0;
}
