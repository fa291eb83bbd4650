/* expect: invalid-argument - the type is made and used without MPI_Type_commit; ranks: 2; line: 13|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double a[5][4] = {{0}};
    int rank;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(5, 1, 4, MPI_DOUBLE, &column);
    if (rank == 0)
        MPI_Send(a, 1, column, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(a, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    printf("rank %d: %g\n", rank, a[0][0]);
    MPI_Finalize();
    return 0;
}
