/* expect: resource-leak - a split in every step, only the last is freed; ranks: 4; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int bit = 1; bit < 4; bit <<= 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank & bit, rank, &part);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    }
    MPI_Comm_free(&part);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
