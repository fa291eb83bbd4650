/* expect: root-mismatch - two ranks collect, each expects all parts; ranks: 4; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, part[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *all = calloc(2 * size, sizeof *all);
    part[0] = rank;
    part[1] = -rank;
    MPI_Gather(part, 2, MPI_INT, all, 2, MPI_INT, rank < 2 ? 0 : 2, MPI_COMM_WORLD);
    if (rank == 0 || rank == 2) printf("rank %d: %d\n", rank, all[2 * size - 2]);
    free(all);
    MPI_Finalize();
    return 0;
}
