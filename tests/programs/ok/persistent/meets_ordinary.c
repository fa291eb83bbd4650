/* expect: ok - persistent sends are received by ordinary receives, and the other way round; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, ping = 0, pong = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Ssend_init(&ping, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&ping, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 6; i++) {
        if (rank == 0 && i % 2 == 0) {
            ping = i;
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (i < 3) {
            MPI_Recv(&pong, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Request_free(&request);
    printf("rank %d: %d %d\n", rank, ping, pong);
    MPI_Finalize();
    return 0;
}
