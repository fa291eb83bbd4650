/* expect: buffer-race - the next edge is computed into a persistent send that is active; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double edge[32] = {0}, halo[32] = {0};
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(edge, 32, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(halo, 32, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int step = 0; step < 3; step++) {
        MPI_Startall(2, request);
        edge[5] = step;
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    printf("rank %d: %g\n", rank, halo[5]);
    MPI_Finalize();
    return 0;
}
