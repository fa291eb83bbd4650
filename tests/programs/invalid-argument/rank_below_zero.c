/* expect: invalid-argument - rank 0 has computed a neighbour below zero; ranks: 3; line: 14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double edge, halo = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    edge = rank;
    int left = rank - 5, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    if (rank > 0) left = rank - 1;
    MPI_Sendrecv(&edge, 1, MPI_DOUBLE, right, 0, &halo, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, halo);
    MPI_Finalize();
    return 0;
}
