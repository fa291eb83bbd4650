/* expect: call-mismatch - rank 0 gathers, the others gather for all; ranks: 3; line: 10|12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, all[3] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    printf("rank %d: %d %d %d\n", rank, all[0], all[1], all[2]);
    MPI_Finalize();
    return 0;
}
