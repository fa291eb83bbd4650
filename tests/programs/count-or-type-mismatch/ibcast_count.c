/* expect: count-or-type-mismatch - a nonblocking broadcast of two counts; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    char name[64] = "";
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) snprintf(name, sizeof name, "input.dat");
    MPI_Ibcast(name, rank == 0 ? 10 : 64, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %s\n", rank, name);
    MPI_Finalize();
    return 0;
}
