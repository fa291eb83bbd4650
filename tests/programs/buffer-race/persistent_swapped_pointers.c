/* expect: buffer-race - persistent requests don't follow swapped pointers: the active ones' array is computed into; ranks: 2; line: 17 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 50

int main(int argc, char **argv) {
    int rank;
    double *u = calloc(N + 1, sizeof *u), *next = calloc(N + 1, sizeof *next);
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(&u[N], 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(&u[1], 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int step = 0; step < 4; step++) {
        MPI_Startall(2, request);
        for (int i = 1; i < N; i++) next[i] = 0.5 * (u[i - 1] + u[i]) + 1;
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        double *swap = u;
        u = next;
        next = swap;
    }
    printf("rank %d: %g\n", rank, u[N - 1]);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
