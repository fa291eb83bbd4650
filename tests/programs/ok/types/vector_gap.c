/* expect: ok - a column is sent and received by a vector type; the other columns are used meanwhile; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define N 64

int main(int argc, char **argv) {
    static double a[N][N];
    int rank;
    MPI_Datatype column;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = rank + i;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(&a[0][0], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&a[0][1], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Type_free(&column); /* lives until the two are complete */
    for (int i = 0; i < N; i++)
        for (int j = 2; j < N; j++) a[i][j] = 0.5 * (a[i][j] + a[i][1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %g %g\n", rank, a[N - 1][0], a[N - 1][N - 1]);
    MPI_Finalize();
    return 0;
}
