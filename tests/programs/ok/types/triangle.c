/* expect: ok - an upper triangle by an indexed type goes into a lower one that is used meanwhile elsewhere; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define N 20

int main(int argc, char **argv) {
    double a[N][N];
    int rank, lengths[N], starts[N];
    MPI_Datatype upper;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) {
        lengths[i] = N - i;
        starts[i] = i * N + i;
        for (int j = 0; j < N; j++) a[i][j] = rank == 0 ? i + j : 0;
    }
    MPI_Type_indexed(N, lengths, starts, MPI_DOUBLE, &upper);
    MPI_Type_commit(&upper);
    if (rank == 0)
        MPI_Isend(a, 1, upper, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(a, 1, upper, 0, 0, MPI_COMM_WORLD, &request);
    for (int i = 1; i < N; i++)
        for (int j = 0; j < i; j++) a[i][j] = -1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&upper);
    printf("rank %d: %g %g\n", rank, a[2][N - 1], a[N - 1][2]);
    MPI_Finalize();
    return 0;
}
