/* expect: message-race|crash|mpi-error - a fast worker's second result may come before a slow worker's first; ranks: 3; line: 16 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, size, in;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; round++) {
        if (rank == 0) {
            for (int i = 1; i < size; i++) {
                MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
                if (in != round) {
                    fprintf(stderr, "rank %d is in round %d already\n", status.MPI_SOURCE, in);
                    MPI_Abort(MPI_COMM_WORLD, 1);
                }
            }
        } else {
            usleep(100000);
            MPI_Send(&round, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
