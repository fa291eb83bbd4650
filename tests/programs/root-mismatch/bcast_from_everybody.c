/* expect: root-mismatch - every rank names itself as the root; ranks: 3; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = 7 * rank;
    MPI_Bcast(&value, 1, MPI_INT, rank, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
