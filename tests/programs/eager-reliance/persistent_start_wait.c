/* expect: eager-reliance - a persistent send is started and waited for before the receive is started, on both sides; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, out = 0, in = 0;
    MPI_Request send, receive;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &send);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &receive);
    for (int step = 0; step < 5; step++) {
        out = in + rank;
        MPI_Start(&send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Start(&receive);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
