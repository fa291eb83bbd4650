/* expect: deadlock - nonblocking receives don't help when they're waited for before anything is sent; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in, out;
    MPI_Request receive, send;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
