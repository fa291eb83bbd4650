/* expect: count-or-type-mismatch - Isend of longs meets Irecv of doubles of the same size; ranks: 2; line: 13|15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 64;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *data = calloc(n, 8);
    if (rank == 0)
        MPI_Isend(data, n, MPI_LONG, 1, 4, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(data, n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d done\n", rank);
    free(data);
    MPI_Finalize();
    return 0;
}
