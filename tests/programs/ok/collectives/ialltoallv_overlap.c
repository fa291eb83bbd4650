/* expect: ok - a ragged Ialltoallv runs while other data is computed on; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, to[4], from[4], to_start[4], from_start[4], n_out = 0, n_in = 0, done = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        to[i] = 100 * (rank + i);
        from[i] = 100 * (i + rank);
        to_start[i] = n_out;
        from_start[i] = n_in;
        n_out += to[i];
        n_in += from[i];
    }
    int *out = malloc(n_out * sizeof *out), *in = malloc(n_in * sizeof *in);
    for (int i = 0; i < n_out; i++) out[i] = rank;
    MPI_Request request;
    MPI_Ialltoallv(out, to, to_start, MPI_INT, in, from, from_start, MPI_INT, MPI_COMM_WORLD, &request);
    double pi = 0;
    for (int i = 0; i < 100000; i++) {
        pi += (i % 2 ? -4.0 : 4.0) / (2 * i + 1);
        if (i % 10000 == 0 && !done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %.3f, last from %d\n", rank, pi, in[n_in - 1]);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
