/* expect: message-race|count-or-type-mismatch|truncation - two senders with different types, told apart by the order they come in; ranks: 3; line: 12|13 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, counts[4] = {1, 2, 3, 4};
    double values[4] = {0.5, 1.5, 2.5, 3.5};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(counts, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g\n", counts[3], values[3]);
    } else if (rank == 1) {
        MPI_Send(counts, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        usleep(300000);
        MPI_Send(values, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
