/* expect: missing-wait|buffer-race - Waitall of n - 1 of n requests; ranks: 4; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *value = calloc(size, sizeof *value), n = 0;
    MPI_Request *request = malloc(size * sizeof *request);
    if (rank == 0) {
        for (int to = 1; to < size; to++) MPI_Isend(&value[to], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request[n++]);
        MPI_Waitall(n - 1, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d done\n", rank);
    free(request);
    free(value);
    MPI_Finalize();
    return 0;
}
