/* expect: request-lifecycle|invalid-argument|crash - two copies of one handle are both waited for; ranks: 2; line: 21 */
#include <mpi.h>
#include <stdio.h>

static MPI_Request pending;

static void start(int other, int *in) {
    MPI_Request request;
    MPI_Irecv(in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    pending = request;
    int out = 5;
    MPI_Send(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, in = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start(1 - rank, &in);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
