/* expect: request-lifecycle|invalid-argument|crash - the array of requests has two elements more than operations, never set; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, in = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request *request = malloc(4 * sizeof *request);
    memset(request, 0x5a, 4 * sizeof *request); /* what malloc may give */
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d\n", rank, in);
    free(request);
    MPI_Finalize();
    return 0;
}
