/* expect: call-mismatch - a nonblocking barrier doesn't meet a blocking one; ranks: 2; line: 12|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        for (int i = 1; i < 1000; i++) sum += 1.0 / i;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
