/* expect: ok - messages and collectives of no elements need no buffer; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, counts[3] = {0, 0, 0}, starts[3] = {0, 0, 0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) MPI_Send(NULL, 0, MPI_INT, i, 7, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, &status);
    }
    MPI_Bcast(NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gatherv(NULL, 0, MPI_INT, NULL, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(&rank, counts, starts, MPI_CHAR, &size, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    printf("rank %d of %d: signals only\n", rank, size);
    MPI_Finalize();
    return 0;
}
