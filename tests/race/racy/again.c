/* A buffer that was free a moment ago is posted, completed and posted again, while others are in flight around it. */
#include "../two.h"

static double around[3][20 * N];

int main(void) {
    double *buffer = around[1] + 10 * N;
    MPI_Request r, other[2];
    begin();
    MPI_Irecv(around[0], N, MPI_DOUBLE, peer, 1, W, &other[0]);
    MPI_Irecv(around[2], N, MPI_DOUBLE, peer, 2, W, &other[1]);
    for (int i = 0; i < N; i++) buffer[i] = i;
    MPI_Isend(buffer, N, MPI_DOUBLE, peer, 0, W, &r);
    for (int i = 0; i < N; i++) buffer[i] += 1; /* RACE write */
    MPI_Recv(&(double[N]){0}, N, MPI_DOUBLE, peer, 0, W, DONE);
    MPI_Wait(&r, DONE);
    for (int i = 0; i < N; i++) buffer[i] = i;
    MPI_Irecv(buffer, N, MPI_DOUBLE, peer, 0, W, &r);
    buffer[N / 2] = 0; /* RACE write */
    MPI_Send(around[1], 0, MPI_DOUBLE, peer, 0, W);
    MPI_Send(around[1], 0, MPI_DOUBLE, peer, 1, W);
    MPI_Send(around[1], 0, MPI_DOUBLE, peer, 2, W);
    MPI_Wait(&r, DONE);
    buffer[N / 2] = 0;
    MPI_Waitall(2, other, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
