/* expect: root-mismatch - a nonblocking reduction with the root from a variable that differs; ranks: 3; line: 14 */
#include <mpi.h>
#include <stdio.h>

static int choose_root(int rank, int size) { return (rank + 1) / size; }

int main(int argc, char **argv) {
    int rank, size, x, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    x = 1 << rank;
    MPI_Ireduce(&x, &sum, 1, MPI_INT, MPI_BOR, choose_root(rank, size), MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
