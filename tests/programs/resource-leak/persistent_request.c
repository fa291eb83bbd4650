/* expect: resource-leak - complete, inactive, and never freed; ranks: 2; line: 10|11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in = 0, out;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int step = 0; step < 4; step++) {
        out = in + 1;
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
