/* expect: count-or-type-mismatch - MPI_BYTE matches only MPI_BYTE, even where the sizes agree; ranks: 2; line: 12|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, key[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < 4; i++) key[i] = 1000 + i;
        for (int to = 1; to < size; to++) MPI_Send(key, 4, MPI_INT, to, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(key, sizeof key, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d\n", rank, key[3]);
    MPI_Finalize();
    return 0;
}
