/* expect: ok - Comm_idup, used when it's complete, and Comm_create_group among some ranks; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, sum = 0, chosen[2] = {2, 0};
    MPI_Comm copy, pair;
    MPI_Group world, two;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&sum, 1, MPI_INT, size - 1, copy);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, chosen, &two);
    if (rank != 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 3, &pair);
        MPI_Bcast(&sum, 1, MPI_INT, 0, pair);
        MPI_Comm_free(&pair);
    }
    MPI_Group_free(&two);
    MPI_Group_free(&world);
    MPI_Comm_free(&copy);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
