/* expect: ok - waiting for null and inactive requests is allowed and returns at once; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x = 1, y = 0, flag = 0, index = -2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Waitany(4, request, &index, MPI_STATUS_IGNORE);
    MPI_Send_init(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Recv_init(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE); /* inactive ones */
    MPI_Start(&request[2]);
    MPI_Start(&request[1]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE); /* inactive again */
    MPI_Test(&request[2], &flag, MPI_STATUS_IGNORE);
    MPI_Request_free(&request[1]);
    MPI_Request_free(&request[2]);
    printf("rank %d: %d %d %s\n", rank, y, flag, index == MPI_UNDEFINED ? "nothing" : "something");
    MPI_Finalize();
    return 0;
}
