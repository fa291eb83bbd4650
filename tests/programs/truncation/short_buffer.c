/* expect: truncation - 100 elements come, there is room for 50; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double data[100] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(data, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 50, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, data[0]);
    MPI_Finalize();
    return 0;
}
