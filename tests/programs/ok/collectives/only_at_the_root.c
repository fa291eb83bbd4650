/* expect: ok - what counts only at the root is null or nonsense elsewhere, ragged parts by the v forms; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, total = 0, root = 1, *counts = NULL, *starts = NULL;
    double *all = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int mine = 3 * rank;
    double *part = malloc((mine + 1) * sizeof *part);
    if (rank == root) {
        counts = malloc(size * sizeof *counts);
        starts = malloc(size * sizeof *starts);
    }
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < size; i++) {
        starts[i] = total;
        total += counts[i];
    }
    if (rank == root) {
        all = malloc(total * sizeof *all);
        for (int i = 0; i < total; i++) all[i] = i;
    }
    MPI_Scatterv(all, counts, starts, MPI_DOUBLE, part, mine, MPI_DOUBLE, root, MPI_COMM_WORLD);
    for (int i = 0; i < mine; i++) part[i] = -part[i];
    MPI_Gatherv(part, mine, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, root, MPI_COMM_WORLD);
    MPI_Gather(part, 0, MPI_INT, all, rank == root ? 0 : -99, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root) printf("last %g of %d\n", all[total - 1], total);
    free(part);
    free(all);
    free(counts);
    free(starts);
    MPI_Finalize();
    return 0;
}
