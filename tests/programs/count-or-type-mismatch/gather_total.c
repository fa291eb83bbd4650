/* expect: count-or-type-mismatch - Gather's receive count is that of one rank, not the total; ranks: 3; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 5

int main(int argc, char **argv) {
    int rank, size;
    double part[N], *all = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++) part[i] = rank * N + i;
    if (rank == 0) all = calloc((size_t)N * size * size, sizeof *all);
    MPI_Gather(part, N, MPI_DOUBLE, all, N * size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%g %g\n", all[0], all[N]);
    free(all);
    MPI_Finalize();
    return 0;
}
