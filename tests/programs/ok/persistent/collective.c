/* expect: ok - persistent collectives: data refreshed between Starts, freed at the end; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double part = 0, sum = 0, parameters[16] = {0};
    int rank;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce_init(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Bcast_init(parameters, 16, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int step = 0; step < 10; step++) {
        part = rank + step;
        if (rank == 0) parameters[0] = step;
        MPI_Start(&request[0]);
        MPI_Start(&request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        part = sum;
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    printf("rank %d: %g %g\n", rank, sum, parameters[0]);
    MPI_Finalize();
    return 0;
}
