/* expect: request-lifecycle|missing-wait - persistent requests are freed while they're active; ranks: 2; line: 13|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in[3] = {0}, out[3] = {0};
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(in, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(out, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Startall(2, request);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
