/* expect: invalid-argument - the type was never made; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x[2] = {1, 2};
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(x, 1, pair, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, x[0]);
    MPI_Finalize();
    return 0;
}
