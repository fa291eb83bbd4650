/* expect: deadlock - one receive more is posted than messages are sent; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>
#define N 4

int main(int argc, char **argv) {
    int rank, in[N] = {0}, out[N];
    MPI_Request request[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < N; i++) MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(N, request, MPI_STATUSES_IGNORE);
        printf("%d %d\n", in[0], in[N - 1]);
    } else {
        for (int i = 0; i < N - 1; i++) {
            out[i] = i;
            MPI_Send(&out[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
