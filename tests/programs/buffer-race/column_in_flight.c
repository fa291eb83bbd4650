/* expect: buffer-race - an element of the column that a vector type receives is written; ranks: 2; line: 17 */
#include <mpi.h>
#include <stdio.h>
#define N 12

int main(int argc, char **argv) {
    double a[N][N] = {{0}};
    int rank;
    MPI_Datatype column;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Irecv(&a[0][3], 1, column, 1, 0, MPI_COMM_WORLD, &request);
        for (int j = 0; j < N; j++) a[6][j] = 1; /* j = 3 too */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&a[0][0], 1, column, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Type_free(&column);
    printf("rank %d: %g\n", rank, a[6][3]);
    MPI_Finalize();
    return 0;
}
