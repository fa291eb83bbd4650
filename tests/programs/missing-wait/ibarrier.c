/* expect: missing-wait - a nonblocking barrier that nobody waits for synchronises nothing; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, n = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) n = 12;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    printf("rank %d: %d\n", rank, n);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
