/* expect: resource-leak - a duplicated communicator is never freed; ranks: 2; line: 9 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
