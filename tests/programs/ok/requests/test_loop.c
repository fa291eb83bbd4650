/* expect: ok - compute in pieces with an MPI_Test between, and Wait on what may be null already; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 200000

int main(int argc, char **argv) {
    int rank, done = 0, pieces = 0;
    double sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *data = calloc(N, sizeof *data);
    if (rank == 0) {
        for (int i = 0; i < N; i++) data[i] = 1.0;
        MPI_Isend(data, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(data, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    }
    while (pieces < 200 || !done) {
        for (int i = 1; i < 2000; i++) sum += 1.0 / i;
        if (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        pieces++;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* null: returns at once */
    printf("rank %d: %g, %s\n", rank, data[N - 1], sum > 0 ? "computed" : "");
    free(data);
    MPI_Finalize();
    return 0;
}
