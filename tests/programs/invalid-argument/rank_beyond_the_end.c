/* expect: invalid-argument - the last rank sends to rank + 1, which doesn't exist; ranks: 3; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, in = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Isend(&rank, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD, &request);
    if (rank > 0) MPI_Recv(&in, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d of %d: %d\n", rank, size, in);
    MPI_Finalize();
    return 0;
}
