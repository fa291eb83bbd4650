/* expect: crash - the share is n / (size - 2), with two ranks; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, n = 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int share = n;
    if (rank == 1) share = n / (size - 2);
    MPI_Bcast(&share, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, share);
    MPI_Finalize();
    return 0;
}
