/* expect: operator-mismatch - one rank sums, the others take the maximum; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double local, global = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local = 1.0 + rank;
    MPI_Op op = rank == 0 ? MPI_SUM : MPI_MAX;
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, global);
    MPI_Finalize();
    return 0;
}
