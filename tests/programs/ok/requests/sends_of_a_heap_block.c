/* expect: ok - one block is sent to everybody at once, freed after Waitall, and its address used again; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, n = 3000;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 8; round++) {
        int *data = malloc(n * sizeof *data);
        MPI_Request *request = malloc(size * sizeof *request);
        if (rank == round % size) {
            for (int i = 0; i < n; i++) data[i] = round;
            int k = 0;
            for (int to = 0; to < size; to++)
                if (to != rank) MPI_Isend(data, n, MPI_INT, to, round, MPI_COMM_WORLD, &request[k++]);
            MPI_Waitall(k, request, MPI_STATUSES_IGNORE);
        } else {
            MPI_Recv(data, n, MPI_INT, round % size, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        sum += data[n - 1];
        free(request);
        free(data);
    }
    printf("rank %d: %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
