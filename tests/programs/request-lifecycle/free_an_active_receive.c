/* expect: request-lifecycle - the request of a receive is freed instead of completed; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
