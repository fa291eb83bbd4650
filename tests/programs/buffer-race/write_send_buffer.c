/* expect: buffer-race - the send buffer is filled for the next step before the send is complete; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 10000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *data = calloc(n, sizeof *data);
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(data, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < n; i++) data[i] = i;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %g\n", rank, data[n - 1]);
    free(data);
    MPI_Finalize();
    return 0;
}
