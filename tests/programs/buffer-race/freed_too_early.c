/* expect: buffer-race|crash - the send buffer is freed before the send is complete; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 3000, last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *data = malloc(n * sizeof *data);
    for (int i = 0; i < n; i++) data[i] = i;
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(data, n, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        free(data);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        last = data[n - 1];
        free(data);
    }
    printf("rank %d: %d\n", rank, last);
    MPI_Finalize();
    return 0;
}
