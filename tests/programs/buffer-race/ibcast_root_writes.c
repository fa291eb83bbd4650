/* expect: buffer-race - the root changes what it is broadcasting; ranks: 3; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double parameter[200] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) parameter[0] = 0.25;
    MPI_Ibcast(parameter, 200, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    if (rank == 0) parameter[0] *= 2;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, parameter[0]);
    MPI_Finalize();
    return 0;
}
