/* expect: request-lifecycle - only the receives are waited for in each step, and all are started again; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in = 0, out = 0;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int step = 0; step < 3; step++) {
        MPI_Startall(2, request);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
