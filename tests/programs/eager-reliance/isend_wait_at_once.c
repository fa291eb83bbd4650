/* expect: eager-reliance - an Isend that is waited for at once is a Send, and both ranks begin with it; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#define N 200

int main(int argc, char **argv) {
    double out[N], in[N];
    int rank;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) out[i] = rank;
    MPI_Isend(out, N, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Irecv(in, N, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    printf("rank %d: %g\n", rank, in[N - 1]);
    MPI_Finalize();
    return 0;
}
