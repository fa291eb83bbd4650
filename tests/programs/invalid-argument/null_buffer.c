/* expect: invalid-argument|crash - the receive buffer is allocated on rank 0 only; ranks: 2; line: 16 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 10;
    double *data = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        data = calloc(n, sizeof *data);
        data[0] = 4.5;
        MPI_Send(data, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %g\n", rank, data[0]);
    free(data);
    MPI_Finalize();
    return 0;
}
