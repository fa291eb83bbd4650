/* expect: resource-leak - the groups are freed, the communicator made of them is not; ranks: 3; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, first = 0;
    MPI_Group world, rest;
    MPI_Comm workers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &first, &rest);
    MPI_Comm_create(MPI_COMM_WORLD, rest, &workers);
    MPI_Group_free(&world);
    MPI_Group_free(&rest);
    if (workers != MPI_COMM_NULL) MPI_Barrier(workers);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
