/* expect: buffer-race - the send is waited for and the received value used; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double mine, theirs = 0, mean;
    MPI_Request send, receive;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = 10 * rank;
    MPI_Irecv(&theirs, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &receive);
    MPI_Isend(&mine, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    mean = (mine + theirs) / 2;
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, mean);
    MPI_Finalize();
    return 0;
}
