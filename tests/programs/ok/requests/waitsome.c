/* expect: ok - Waitsome and Testsome complete what is there, until nothing is left; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, in[4], out[4], left, some, index[8], tested = 0;
    MPI_Request request[8];
    MPI_Status status[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        out[i] = 10 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Issend(&out[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &request[size + i]);
    }
    left = 2 * size;
    while (left > size) {
        MPI_Waitsome(2 * size, request, &some, index, status);
        left -= some;
    }
    while (left > 0) {
        MPI_Testsome(2 * size, request, &some, index, MPI_STATUSES_IGNORE);
        left -= some == MPI_UNDEFINED ? 0 : some;
        tested++;
    }
    printf("rank %d: %d %d, %s\n", rank, in[0], in[size - 1], tested ? "tested" : "all waited for");
    MPI_Finalize();
    return 0;
}
