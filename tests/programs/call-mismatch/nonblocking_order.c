/* expect: call-mismatch - nonblocking collectives too must be started in the same order; ranks: 2; line: 11|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, n = 5, x = 1, sum = 0;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank % 2 == 0) {
        MPI_Ibcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
    } else {
        MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
        MPI_Ibcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, n, sum);
    MPI_Finalize();
    return 0;
}
