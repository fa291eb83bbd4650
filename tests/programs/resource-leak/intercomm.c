/* expect: resource-leak - the intercommunicator is freed, the halves that it connects are not; ranks: 4; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, other_size;
    MPI_Comm half, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &other);
    MPI_Comm_remote_size(other, &other_size);
    MPI_Barrier(other);
    MPI_Comm_free(&other);
    printf("rank %d: %d others\n", rank, other_size);
    MPI_Finalize();
    return 0;
}
