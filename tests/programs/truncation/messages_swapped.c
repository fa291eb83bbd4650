/* expect: truncation|count-or-type-mismatch - same tag for header and body: the body lands in the header's receive; ranks: 2; line: 16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, header = 0, body[1000] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request[2];
        header = 1000;
        MPI_Isend(body, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&header, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(&header, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(body, header, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d\n", rank, header);
    MPI_Finalize();
    return 0;
}
