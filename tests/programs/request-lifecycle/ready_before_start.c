/* expect: request-lifecycle|invalid-argument|mpi-error|crash - a partition is made ready before the request is started; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double data[2] = {0};
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, 2, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Pready(0, request);
        MPI_Start(&request);
        MPI_Pready(1, request);
    } else {
        MPI_Precv_init(data, 2, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
