/* expect: count-or-type-mismatch - long sent, int received, in one call; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    long mine;
    int all[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = 5 + rank;
    MPI_Allgather(&mine, 1, MPI_LONG, all, 2, MPI_INT, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, all[0], all[2]);
    MPI_Finalize();
    return 0;
}
