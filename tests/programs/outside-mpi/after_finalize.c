/* expect: outside-mpi - the results are reduced after MPI_Finalize; ranks: 2; line: 7 */
#include <mpi.h>
#include <stdio.h>

static double total(double mine) {
    double all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    double took = MPI_Wtime() - begin;
    MPI_Finalize();
    double all = total(took);
    if (rank == 0) printf("%s\n", all > 0 ? "took some time" : "took none");
    return 0;
}
