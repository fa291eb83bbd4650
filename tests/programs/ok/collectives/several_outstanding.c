/* expect: ok - several nonblocking collectives at once, completed in another order, with a Bcast between; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, max, extra = 0;
    double sum[64], mine[64], broadcast[1000] = {0};
    MPI_Request request[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 64; i++) mine[i] = rank * i;
    if (rank == 2) broadcast[999] = extra = 5;
    MPI_Iallreduce(mine, sum, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    MPI_Ibcast(broadcast, 1000, MPI_DOUBLE, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Iallreduce(&rank, &max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request[2]);
    MPI_Bcast(&extra, 1, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[3]);
    double own = 0;
    for (int i = 0; i < 64; i++) /* reading what is being reduced */
        own += mine[i];
    MPI_Wait(&request[3], MPI_STATUS_IGNORE);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Wait(&request[2], MPI_STATUS_IGNORE);
    printf("rank %d: %g %g %d %g %d\n", rank, sum[63], broadcast[999], max, own, extra);
    MPI_Finalize();
    return 0;
}
