/* expect: invalid-argument - ranks that stayed out of the split use its communicator all the same; ranks: 3; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Comm workers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0 ? 1 : MPI_UNDEFINED, rank, &workers);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, workers);
    printf("rank %d: %d\n", rank, sum);
    if (workers != MPI_COMM_NULL) MPI_Comm_free(&workers);
    MPI_Finalize();
    return 0;
}
