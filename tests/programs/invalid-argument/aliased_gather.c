/* expect: invalid-argument|buffer-race - the root's own part lies in the receive buffer, without MPI_IN_PLACE; ranks: 3; line: 13 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, n = 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *all = calloc(n * size, sizeof *all), *mine = all + rank * n;
    for (int i = 0; i < n; i++) mine[i] = rank;
    MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank == 1) printf("%d %d %d\n", all[0], all[n], all[2 * n]);
    free(all);
    MPI_Finalize();
    return 0;
}
