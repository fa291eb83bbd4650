/* One of two requests was waited for, and a Test was false: the other buffer is still in flight. */
#include "../two.h"

int main(void) {
    double in[2][N] = {0}, seen = 0;
    int done;
    MPI_Request r[2];
    begin();
    MPI_Irecv(in[0], N, MPI_DOUBLE, peer, 0, W, &r[0]);
    MPI_Irecv(in[1], N, MPI_DOUBLE, peer, 1, W, &r[1]);
    MPI_Send(&seen, 1, MPI_DOUBLE, peer, 0, W);
    MPI_Wait(&r[0], DONE);
    MPI_Test(&r[1], &done, DONE);
    seen += in[0][0];
    seen += in[1][0]; /* RACE read */
    MPI_Barrier(W);
    MPI_Send(&seen, 1, MPI_DOUBLE, peer, 1, W);
    MPI_Wait(&r[1], DONE);
    seen += in[1][0];
    printf("%g\n", seen);
    MPI_Finalize();
}
