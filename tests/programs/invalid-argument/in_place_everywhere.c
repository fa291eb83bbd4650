/* expect: invalid-argument - in Reduce MPI_IN_PLACE is for the root only; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    long count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = rank + 10;
    MPI_Reduce(MPI_IN_PLACE, &count, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("count %ld\n", count);
    MPI_Finalize();
    return 0;
}
