/* expect: ok - the same tag and peer in two communicators, received in the other order; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, a, b;
    MPI_Comm library;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &library);
    MPI_Comm_set_name(library, "library");
    a = rank;
    b = 10 + rank;
    if (rank == 0) {
        MPI_Isend(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&b, 1, MPI_INT, 1, 0, library, &request[1]);
        MPI_Comm_free(&library); /* goes when the send is complete */
    } else {
        MPI_Recv(&b, 1, MPI_INT, 0, 0, library, MPI_STATUS_IGNORE);
        MPI_Recv(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        request[0] = request[1] = MPI_REQUEST_NULL;
        MPI_Comm_free(&library);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, a, b);
    MPI_Finalize();
    return 0;
}
