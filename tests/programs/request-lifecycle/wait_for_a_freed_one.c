/* expect: request-lifecycle|invalid-argument - a copy of a persistent request is waited for after the request is freed; ranks: 2; line: 18 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Request request, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    copy = request;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
