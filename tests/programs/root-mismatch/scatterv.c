/* expect: root-mismatch - rank 1 takes rank 0 for the root, which has the data, the others rank 1; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, counts[2] = {2, 3}, starts[2] = {0, 2};
    float all[5] = {1, 2, 3, 4, 5}, part[3] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Scatterv(all, counts, starts, MPI_FLOAT, part, counts[rank], MPI_FLOAT, 1 - rank, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, part[0]);
    MPI_Finalize();
    return 0;
}
