/* expect: deadlock - in an intercommunicator ranks are those of the other group; ranks: 4; line: 14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, inner, value = 0;
    MPI_Comm half, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Comm_rank(half, &inner);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &other);
    if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, other);
    if (rank == 2) MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
