/* Persistent requests: the buffers are in flight after Start, each time. */
#include "../two.h"

int main(void) {
    double in[N] = {0}, out[N] = {0};
    MPI_Request r[2];
    begin();
    MPI_Recv_init(in, N, MPI_DOUBLE, peer, 0, W, &r[0]);
    MPI_Send_init(out, N, MPI_DOUBLE, peer, 0, W, &r[1]);
    for (int step = 0; step < 3; step++) {
        out[0] = step;
        MPI_Start(&r[0]);
        MPI_Start(&r[1]);
        if (step == 2) out[1] = in[2]; /* RACE read */ /* RACE write */
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        out[1] = in[2];
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
}
