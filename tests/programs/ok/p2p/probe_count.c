/* expect: ok - sizes are found by Probe, and the receive names the source and the tag that it found; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void collect(int messages) {
    long total = 0;
    for (int i = 0; i < messages; i++) {
        MPI_Status status;
        int count;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_LONG, &count);
        long *data = malloc(count * sizeof *data);
        MPI_Recv(data, count, MPI_LONG, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int j = 0; j < count; j++) total += data[j];
        free(data);
    }
    printf("total %ld\n", total);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        collect(3 * (size - 1));
    } else {
        long data[300];
        for (int i = 0; i < 300; i++) data[i] = rank;
        for (int i = 1; i <= 3; i++) MPI_Send(data, rank * 25 * i, MPI_LONG, 0, i, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
