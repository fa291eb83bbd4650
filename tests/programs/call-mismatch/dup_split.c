/* expect: call-mismatch - one rank duplicates the communicator, the other splits it; ranks: 2; line: 11|13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d: %d\n", rank, sum);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
