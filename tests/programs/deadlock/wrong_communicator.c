/* expect: deadlock - sent in a duplicate, received in MPI_COMM_WORLD; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x = 7;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_rank(copy, &rank);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, copy);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    printf("rank %d: %d\n", rank, x);
    MPI_Finalize();
    return 0;
}
