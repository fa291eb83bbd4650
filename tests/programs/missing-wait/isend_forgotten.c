/* expect: missing-wait - the Isend's request is never completed; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double x[10] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        x[9] = 1.5;
        MPI_Isend(x, 10, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv(x, 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %g\n", rank, x[9]);
    MPI_Finalize();
    return 0;
}
