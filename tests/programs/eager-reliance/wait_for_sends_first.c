/* expect: eager-reliance - all sends are posted, and waited for before any receive is posted; ranks: 4; line: 18 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, sum = 0, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request *request = malloc(size * sizeof *request);
    int *out = malloc(size * sizeof *out);
    for (int to = 0; to < size; to++) {
        out[to] = rank * size + to;
        request[to] = MPI_REQUEST_NULL;
        if (to != rank) MPI_Isend(&out[to], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request[to]);
    }
    MPI_Waitall(size, request, MPI_STATUSES_IGNORE);
    for (int from = 0; from < size; from++)
        if (from != rank) {
            MPI_Recv(&in, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += in;
        }
    printf("rank %d: %d\n", rank, sum);
    free(request);
    free(out);
    MPI_Finalize();
    return 0;
}
