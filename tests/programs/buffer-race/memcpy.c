/* expect: buffer-race - memcpy fills the send buffer again while it's in flight; ranks: 2; line: 20 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define N 2000

int main(int argc, char **argv) {
    static int first[N], second[N], buffer[N];
    int rank;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) {
        first[i] = i;
        second[i] = -i;
    }
    if (rank == 0) {
        memcpy(buffer, first, sizeof buffer);
        MPI_Isend(buffer, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        memcpy(buffer, second, sizeof buffer);
        MPI_Isend(buffer, N, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]);
    } else {
        MPI_Irecv(first, N, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(second, N, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[1]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, first[N - 1], second[N - 1]);
    MPI_Finalize();
    return 0;
}
