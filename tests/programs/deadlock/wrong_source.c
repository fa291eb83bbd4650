/* expect: deadlock - the last rank expects its message from the wrong neighbour; ranks: 3; line: 17 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, n = 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    float *data = calloc(n, sizeof(float));
    if (rank == 0) {
        data[0] = 3.5f;
        for (int to = 1; to < size; to++) MPI_Send(data, n, MPI_FLOAT, to, 0, MPI_COMM_WORLD);
    } else {
        int from = rank == size - 1 ? rank - 1 : 0;
        MPI_Recv(data, n, MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %g\n", rank, data[0]);
    free(data);
    MPI_Finalize();
    return 0;
}
