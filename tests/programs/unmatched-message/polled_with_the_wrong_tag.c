/* expect: unmatched-message|eager-reliance - Iprobe asks for another tag and finds nothing, the message stays; ranks: 2; line: 9 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, found = 0, x = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 100, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPI_Iprobe(0, 10, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        if (found) MPI_Recv(&x, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%s\n", found ? "a message" : "no message");
    }
    MPI_Finalize();
    return 0;
}
