/* expect: operator-mismatch - a nonblocking scan by sum and by product; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, x, prefix = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    x = rank + 2;
    MPI_Iscan(&x, &prefix, 1, MPI_INT, 2 * rank < size ? MPI_SUM : MPI_PROD, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, prefix);
    MPI_Finalize();
    return 0;
}
