/* expect: outside-mpi - MPI_Finalize in the function and again in main; ranks: 2; line: 17 */
#include <mpi.h>
#include <stdio.h>

static void run(int rank) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run(rank);
    MPI_Finalize();
    return 0;
}
