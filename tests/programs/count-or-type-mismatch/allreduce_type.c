/* expect: count-or-type-mismatch - one rank reduces as unsigned, the others as int; ranks: 3; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x, max = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = rank - 1;
    MPI_Allreduce(&x, &max, 1, rank == 2 ? MPI_UNSIGNED : MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, max);
    MPI_Finalize();
    return 0;
}
