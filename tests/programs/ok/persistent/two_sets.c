/* expect: ok - persistent requests keep their addresses: two sets of them for two swapped arrays; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000

static void setup(double *u, int left, int right, MPI_Request r[4]) {
    MPI_Recv_init(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&u[N + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Send_init(&u[N], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[2]);
    MPI_Send_init(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[3]);
}

int main(int argc, char **argv) {
    int rank, size, steps = argc > 1 ? atoi(argv[1]) : 30;
    double *u[2];
    MPI_Request request[2][4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 2; k++) {
        u[k] = calloc(N + 2, sizeof(double));
        setup(u[k], (rank + size - 1) % size, (rank + 1) % size, request[k]);
    }
    u[0][1] = rank + 1;
    for (int step = 0; step < steps; step++) {
        double *old = u[step % 2], *new = u[1 - step % 2];
        MPI_Startall(4, request[step % 2]);
        for (int i = 2; i < N; i++) new[i] = 0.5 * old[i] + 0.25 * (old[i - 1] + old[i + 1]);
        MPI_Waitall(4, request[step % 2], MPI_STATUSES_IGNORE);
        new[1] = 0.5 * old[1] + 0.25 * (old[0] + old[2]);
        new[N] = 0.5 * old[N] + 0.25 * (old[N - 1] + old[N + 1]);
    }
    printf("rank %d: %.9f\n", rank, u[steps % 2][N]);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++) MPI_Request_free(&request[k][i]);
        free(u[k]);
    }
    MPI_Finalize();
    return 0;
}
