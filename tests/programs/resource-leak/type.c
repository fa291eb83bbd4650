/* expect: resource-leak - a committed type is never freed; ranks: 2; line: 11|12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double a[6][6] = {{0}};
    int rank;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(6, 1, 6, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    a[5][0] = rank;
    MPI_Bcast(a, 1, column, 1, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, a[5][0]);
    MPI_Finalize();
    return 0;
}
