/* expect: count-or-type-mismatch - every rank must give the same array of counts; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, counts[2], in[4] = {1, 2, 3, 4}, out[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    counts[rank] = 3;
    counts[1 - rank] = 1;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, out[0]);
    MPI_Finalize();
    return 0;
}
