/* expect: deadlock - rank 0 waits in the broadcast for rank 1, rank 1 for rank 0's receive; ranks: 2; line: 10|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, n = 0, seed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Bcast(&n, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Recv(&seed, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        n = 100;
        seed = 42;
        MPI_Ssend(&seed, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Bcast(&n, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    printf("rank %d: %d %d\n", rank, n, seed);
    MPI_Finalize();
    return 0;
}
