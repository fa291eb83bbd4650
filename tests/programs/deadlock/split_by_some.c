/* expect: deadlock|call-mismatch - only the ranks that want a new communicator call Comm_split; ranks: 4; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, sum = 0;
    MPI_Comm even;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank % 2 == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &even);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, even);
        MPI_Comm_free(&even);
    }
    printf("rank %d of %d: %d\n", rank, size, sum);
    MPI_Finalize();
    return 0;
}
