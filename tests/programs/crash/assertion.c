/* expect: crash - an assertion fails on one rank while the others wait for it; ranks: 3; line: 7 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

static double checked_root(double x) {
    assert(x >= 0);
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 40; i++) r = 0.5 * (r + x / r);
    return r;
}

int main(int argc, char **argv) {
    int rank;
    double x, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = checked_root(1.0 - rank);
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
