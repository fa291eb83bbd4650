/* expect: count-or-type-mismatch - persistent send of shorts, persistent receive of bytes, by the large-count calls; ranks: 2; line: 12|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    short data[12] = {0};
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send_init_c(data, 12, MPI_SHORT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init_c(data, 24, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    for (int step = 0; step < 2; step++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    printf("rank %d: %d\n", rank, data[0]);
    MPI_Finalize();
    return 0;
}
