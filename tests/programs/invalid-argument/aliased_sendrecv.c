/* expect: invalid-argument|buffer-race - one buffer for both directions of Sendrecv, which needs Sendrecv_replace; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, v[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) v[i] = rank;
    MPI_Sendrecv(v, 100, MPI_INT, 1 - rank, 0, v, 100, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, v[99]);
    MPI_Finalize();
    return 0;
}
