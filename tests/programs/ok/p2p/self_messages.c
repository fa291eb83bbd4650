/* expect: ok - messages of a rank to itself: Irecv before Send, Sendrecv, Sendrecv_replace; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, out, in = -1, both;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = both = 10 + rank;
    MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    out += in;
    MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&both, 1, MPI_INT, 0, 2, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&both, 1, MPI_INT, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    printf("rank %d: %d %d\n", rank, in, both);
    MPI_Finalize();
    return 0;
}
