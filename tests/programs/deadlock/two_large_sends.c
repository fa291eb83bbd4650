/* expect: deadlock - both ranks send 8 MB before they receive, far above any eager limit; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = argc > 1 ? atoi(argv[1]) : 1000000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *out = malloc(n * sizeof *out), *in = malloc(n * sizeof *in);
    for (int i = 0; i < n; i++) out[i] = rank;
    MPI_Send(out, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, n, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, in[0]);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
