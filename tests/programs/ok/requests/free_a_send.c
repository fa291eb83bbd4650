/* expect: ok - a send's request is freed, and the receiver's answer says that it's complete; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double order[64] = {0}, answer = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 4; step++) {
        if (rank == 0) {
            MPI_Request request;
            order[0] = step;
            MPI_Isend(order, 64, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
            MPI_Recv(&answer, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(order, 64, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            answer = 2 * order[0];
            MPI_Send(&answer, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        }
    }
    printf("rank %d: %g\n", rank, answer);
    MPI_Finalize();
    return 0;
}
