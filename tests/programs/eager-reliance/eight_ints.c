/* expect: eager-reliance - send-send of eight ints never hangs here, and isn't right for it; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>
#define N 8

int main(int argc, char **argv) {
    int rank, out[N], in[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) out[i] = 10 * rank + i;
    MPI_Send(out, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %d ... %d\n", rank, in[0], in[N - 1]);
    MPI_Finalize();
    return 0;
}
