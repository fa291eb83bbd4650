/* expect: count-or-type-mismatch - a column of 8 floats is sent, 8 doubles are received; ranks: 2; line: 15|17 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static float a[8][8];
    double column[8] = {0};
    int rank;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(8, 1, 8, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(&a[0][2], 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(column, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    printf("rank %d: %g\n", rank, column[0]);
    MPI_Finalize();
    return 0;
}
