/* expect: deadlock - everybody sends to the right and also expects its message from there; ranks: 3; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    double edge[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size;
    edge[0] = rank;
    MPI_Sendrecv(&edge[0], 1, MPI_DOUBLE, right, 0, &edge[1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, edge[1]);
    MPI_Finalize();
    return 0;
}
