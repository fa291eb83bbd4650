/* expect: ok - a rank that has nothing to do finalizes at once, the others work on; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, size, ball = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank >= size / 2 * 2) {
        printf("rank %d isn't needed\n", rank);
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < 10; i++) {
        if (rank == i % 2) {
            usleep(150000);
            ball++;
            MPI_Send(&ball, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&ball, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    printf("rank %d: %d\n", rank, ball);
    MPI_Finalize();
    return 0;
}
