/* expect: request-lifecycle - MPI_Start of a request that Isend made; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
