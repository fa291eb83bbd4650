/* expect: ok - columns of a matrix scattered by a resized vector, received as plain doubles; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define ROWS 6

int main(int argc, char **argv) {
    int rank, size;
    double column[ROWS], *matrix = NULL;
    MPI_Datatype strided, one;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(ROWS, 1, size, MPI_DOUBLE, &strided);
    MPI_Type_create_resized(strided, 0, sizeof(double), &one);
    MPI_Type_commit(&one);
    MPI_Type_free(&strided);
    if (rank == 0) {
        matrix = malloc(ROWS * size * sizeof *matrix);
        for (int i = 0; i < ROWS * size; i++) matrix[i] = i;
    }
    MPI_Scatter(matrix, 1, one, column, ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ROWS; i++) column[i] *= 2;
    MPI_Gather(column, ROWS, MPI_DOUBLE, matrix, 1, one, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%g %g\n", matrix[1], matrix[ROWS * size - 1]);
    free(matrix);
    MPI_Type_free(&one);
    MPI_Finalize();
    return 0;
}
