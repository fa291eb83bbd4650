/* expect: ok - an open chain of sends is slow but safe: the last rank only receives; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 1000;
    double *out, *in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = malloc(n * sizeof *out);
    in = calloc(n, sizeof *in);
    for (int i = 0; i < n; i++) out[i] = rank + 0.001 * i;
    if (rank < size - 1) MPI_Send(out, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    if (rank > 0) MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d got %g\n", rank, in[n - 1]);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
