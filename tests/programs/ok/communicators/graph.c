/* expect: ok - a distributed graph whose ranks have different numbers of neighbours; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, zero = 0, n, sum = 0;
    MPI_Comm star;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = rank == 0 ? size - 1 : 1;
    int *others = malloc(n * sizeof *others), *in = malloc(n * sizeof *in);
    for (int i = 0; i < n; i++) others[i] = rank == 0 ? i + 1 : zero;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, others, MPI_UNWEIGHTED, n, others, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &star);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, star);
    for (int i = 0; i < n; i++) sum += in[i];
    MPI_Neighbor_alltoall(others, 1, MPI_INT, in, 1, MPI_INT, star);
    printf("rank %d: %d neighbours, sum %d\n", rank, n, sum);
    MPI_Comm_free(&star);
    free(others);
    free(in);
    MPI_Finalize();
    return 0;
}
