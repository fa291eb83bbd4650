/* expect: ok - the calls of large counts, MPI_Count where there was int; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Count n = 40000, got = 0;
    MPI_Request request;
    MPI_Status status;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    for (MPI_Count i = 0; i < n; i++) x[i] = (double)i;
    MPI_Irecv_c(y, n, MPI_DOUBLE, 1 - rank, 5, MPI_COMM_WORLD, &request);
    MPI_Send_c(x, n, MPI_DOUBLE, 1 - rank, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count_c(&status, MPI_DOUBLE, &got);
    MPI_Allreduce_c(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibcast_c(y, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %lld, %g %g\n", rank, (long long)got, x[n - 1], y[n - 1]);
    free(x);
    free(y);
    MPI_Finalize();
    return 0;
}
