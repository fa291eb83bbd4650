/* expect: crash - the recursion has no end, as the wrong variable is passed on; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

static int tree_sum(int *v, int from, int to) {
    int local[64];
    if (to - from == 1) return v[from];
    int half = (from + to) / 2;
    local[half % 64] = tree_sum(v, from, to);
    return local[half % 64] + tree_sum(v, half, to);
}

int main(int argc, char **argv) {
    int rank, v[16] = {0}, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    v[0] = rank;
    sum = rank == 1 ? tree_sum(v, 0, 16) : 0;
    MPI_Bcast(&sum, 1, MPI_INT, 1, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
