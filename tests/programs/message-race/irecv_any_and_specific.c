/* expect: message-race - two posted receives, the first of which takes whichever comes first; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, in[2] = {0};
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, 2, 4, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        printf("%d %d\n", in[0], in[1]);
    } else {
        usleep(rank * 150000);
        MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
