/* expect: count-or-type-mismatch|truncation - Scatter's send count is the total instead of one rank's share; ranks: 4; line: 16 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, n = 400, *all = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int share = n / size, *part = malloc(share * sizeof *part);
    if (rank == 0) {
        all = calloc((size_t)n * size, sizeof *all);
        for (int i = 0; i < n; i++) all[i] = i;
    }
    MPI_Scatter(all, n, MPI_INT, part, share, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, part[0]);
    free(part);
    free(all);
    MPI_Finalize();
    return 0;
}
