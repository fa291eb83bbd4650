/* expect: message-race|truncation - the size is probed, and then any message is received instead of that one; ranks: 3; line: 23 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int data[30] = {rank};
    if (rank > 0) {
        usleep(rank * 100000);
        MPI_Send(data, 10 * rank, MPI_INT, 0, rank, MPI_COMM_WORLD);
    }
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Status status;
        int n;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        int *in = malloc(n * sizeof *in);
        MPI_Recv(in, n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d elements from %d\n", n, in[0]);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
