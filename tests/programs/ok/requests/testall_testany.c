/* expect: ok - Testall until all are through, Testany until there is nothing more; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define N 3000

int main(int argc, char **argv) {
    static float out[4][N], in[4][N];
    int rank, all = 0, flag = 0, index = 0, seen = 0;
    MPI_Request send[4], receive[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < N; j++) out[i][j] = i + rank;
        MPI_Irecv(in[i], N, MPI_FLOAT, 1 - rank, i, MPI_COMM_WORLD, &receive[i]);
    }
    for (int i = 0; i < 4; i++) MPI_Isend(out[i], N, MPI_FLOAT, 1 - rank, i, MPI_COMM_WORLD, &send[i]);
    while (!flag || index != MPI_UNDEFINED) {
        MPI_Testany(4, receive, &index, &flag, MPI_STATUS_IGNORE);
        if (flag && index != MPI_UNDEFINED) seen += (int)in[index][N - 1];
    }
    while (!all) MPI_Testall(4, send, &all, MPI_STATUSES_IGNORE);
    printf("rank %d: %d\n", rank, seen);
    MPI_Finalize();
    return 0;
}
