/* expect: count-or-type-mismatch - the last rank has one bin less and reduces one less; ranks: 3; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, bins = 16;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1) bins--;
    int *histogram = calloc(bins, sizeof(int)), *sum = calloc(16, sizeof(int));
    for (int i = 0; i < 1000; i++) histogram[(i * 7 + rank) % bins]++;
    MPI_Reduce(histogram, sum, bins, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d in the first bin\n", sum[0]);
    free(histogram);
    free(sum);
    MPI_Finalize();
    return 0;
}
