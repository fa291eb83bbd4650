/* expect: request-lifecycle - a partition is made ready twice; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#define PARTS 3

int main(int argc, char **argv) {
    int data[PARTS] = {0}, rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, PARTS, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Pready_range(0, PARTS - 1, request);
    } else {
        MPI_Precv_init(data, PARTS, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
