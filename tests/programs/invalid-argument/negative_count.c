/* expect: invalid-argument - the share of the last rank comes out negative; ranks: 4; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, n = 10, data[10] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int share = 4, count = n - rank * share < share ? n - rank * share : share;
    if (rank > 0) {
        MPI_Send(data, count, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i < size; i++) MPI_Recv(data, share, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d\n", rank, count);
    MPI_Finalize();
    return 0;
}
