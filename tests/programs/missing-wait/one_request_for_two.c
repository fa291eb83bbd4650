/* expect: missing-wait|request-lifecycle - one request variable for an Isend and an Irecv: the send is never completed; ranks: 2; line: 11|12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, in = 0, out;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
