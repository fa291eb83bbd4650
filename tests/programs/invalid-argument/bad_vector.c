/* expect: invalid-argument - a vector type with a negative number of blocks; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, rows = 4, halo = 3;
    MPI_Datatype edge;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(rows - 2 * halo, 1, 10, MPI_DOUBLE, &edge);
    MPI_Type_commit(&edge);
    printf("rank %d\n", rank);
    MPI_Type_free(&edge);
    MPI_Finalize();
    return 0;
}
