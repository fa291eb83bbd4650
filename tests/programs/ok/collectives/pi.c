/* expect: ok - the textbook's pi, with the time as the maximum over the ranks; ranks: 3 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[]) {
    int myid, numprocs, n = argc > 1 ? atoi(argv[1]) : 1000000;
    double mypi, pi, h, sum, x, begin, took, slowest;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &numprocs);
    MPI_Comm_rank(MPI_COMM_WORLD, &myid);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    h = 1.0 / (double)n;
    sum = 0.0;
    for (int i = myid + 1; i <= n; i += numprocs) {
        x = h * ((double)i - 0.5);
        sum += 4.0 / (1.0 + x * x);
    }
    mypi = h * sum;
    MPI_Reduce(&mypi, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    took = MPI_Wtime() - begin;
    MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (myid == 0)
        printf("pi is %.12f, error %.1e, %s\n", pi, fabs(pi - 3.14159265358979), slowest > 0 ? "timed" : "no clock");
    MPI_Finalize();
    return 0;
}
