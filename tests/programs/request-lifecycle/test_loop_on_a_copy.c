/* expect: request-lifecycle|invalid-argument|crash - the copy is tested in a loop when the original has been completed long ago; ranks: 2; line: 16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value = 0, flag = 0, turns = 0;
    MPI_Request request, mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Issend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    mine = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (!flag && turns++ < 1000) MPI_Test(&mine, &flag, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
