/* expect: ok - 64 MiB each way at once, by Isend and Irecv; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const size_t n = (size_t)64 << 20;
    int rank;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = malloc(n), *in = malloc(n);
    if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < n; i++) out[i] = (char)(i % 101 + rank);
    MPI_Irecv(in, (int)n, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, (int)n, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += in[i] != (char)(i % 101 + 1 - rank);
    printf("rank %d: %zu wrong\n", rank, wrong);
    free(out);
    free(in);
    MPI_Finalize();
    return wrong != 0;
}
