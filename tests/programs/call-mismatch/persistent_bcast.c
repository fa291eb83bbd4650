/* expect: call-mismatch - a persistent broadcast doesn't meet an ordinary one; ranks: 2; line: 13|18 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double u[8] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        u[0] = 1;
        MPI_Bcast_init(u, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Bcast(u, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    printf("rank %d: %g\n", rank, u[0]);
    MPI_Finalize();
    return 0;
}
