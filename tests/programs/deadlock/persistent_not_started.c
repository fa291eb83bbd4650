/* expect: deadlock - the send is initialised and never started; ranks: 2; line: 16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double halo[10] = {0}, edge[10];
    int rank;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) edge[i] = rank + i;
    MPI_Recv_init(halo, 10, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(edge, 10, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int step = 0; step < 3; step++) {
        MPI_Start(&request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        edge[0] += halo[9];
    }
    printf("rank %d: %g\n", rank, edge[0]);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
