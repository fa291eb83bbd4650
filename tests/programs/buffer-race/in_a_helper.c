/* expect: buffer-race - the access to the receive buffer hides in a function; ranks: 2; line: 8 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double norm(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

int main(int argc, char **argv) {
    int rank, n = 300;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *v = malloc(n * sizeof *v), result;
    for (int i = 0; i < n; i++) v[i] = 1;
    if (rank == 0) {
        MPI_Irecv(v, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        result = norm(v, n);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Ssend(v, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        result = norm(v, n);
    }
    printf("rank %d: %g\n", rank, result);
    free(v);
    MPI_Finalize();
    return 0;
}
