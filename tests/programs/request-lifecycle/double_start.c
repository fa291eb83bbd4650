/* expect: request-lifecycle - started again while it's active; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
