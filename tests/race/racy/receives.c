/* A receive buffer is read or written before the receive is complete; what is read is never used. */
#include "../two.h"

int main(void) {
    int in[N] = {0}, out[N] = {0}, seen;
    MPI_Request r[2];
    begin();
    MPI_Irecv(in, N, MPI_INT, peer, 0, W, &r[0]);
    MPI_Isend(out, N, MPI_INT, peer, 0, W, &r[1]);
    seen = in[0];       /* RACE read */
    in[1] = 1;          /* RACE write */
    out[2] =            /* RACE write */
        out[3] + in[4]; /* RACE read */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    (void)seen;
    MPI_Finalize();
}
