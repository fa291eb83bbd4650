/* expect: missing-wait|resource-leak|request-lifecycle - started in the last step too, never completed, never freed; ranks: 2; line: 10|11|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in = 0, out = 0;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Startall(2, request);
    for (int step = 0; step < 3; step++) {
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        out += in + rank;
        MPI_Startall(2, request);
    }
    printf("rank %d left\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
