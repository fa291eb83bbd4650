/* expect: buffer-race - the receive buffer is cleared after the receive is posted; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>
#define N 100

int main(int argc, char **argv) {
    double buffer[N];
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < N; i++) buffer[i] = 0;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%g\n", buffer[N - 1]);
    } else {
        for (int i = 0; i < N; i++) buffer[i] = i;
        MPI_Send(buffer, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
