/* expect: call-mismatch - the two branches call the same collectives in another order; ranks: 3; line: 13|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, n = 0;
    double residual, worst = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    residual = 0.1 * rank;
    if (rank == 0) {
        n = 50;
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allreduce(&residual, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    } else {
        MPI_Allreduce(&residual, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    printf("rank %d: %d %g\n", rank, n, worst);
    MPI_Finalize();
    return 0;
}
