/* expect: call-mismatch - one rank was converted to the nonblocking form, the others were not; ranks: 3; line: 14|17 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    double part, dot = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    part = rank + 0.5;
    if (rank == size - 1) {
        MPI_Request request;
        MPI_Iallreduce(&part, &dot, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(&part, &dot, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d: %g\n", rank, dot);
    MPI_Finalize();
    return 0;
}
