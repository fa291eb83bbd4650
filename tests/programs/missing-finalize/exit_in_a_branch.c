/* expect: missing-finalize - exit(0) in the branch of the workers; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void worker(int rank) {
    double x = 1.0 / rank;
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    exit(0);
}

int main(int argc, char **argv) {
    int rank, size;
    double x, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) worker(rank);
    for (int i = 1; i < size; i++) {
        MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += x;
    }
    printf("sum %g\n", sum);
    MPI_Finalize();
    return 0;
}
