/* expect: invalid-argument - MPI_ROOT is for intercommunicators; ranks: 2; line: 9 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&x, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, x);
    MPI_Finalize();
    return 0;
}
