/* expect: buffer-race - MPI_Test is called and its flag not looked at; ranks: 2; line: 18 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, flag, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        usleep(200000);
        value = 5;
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        int doubled = 2 * value;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d is twice %d\n", doubled, value);
    }
    MPI_Finalize();
    return 0;
}
