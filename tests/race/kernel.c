/* A kernel in a shared library: it is loaded into an engine that knows nothing of it. */
#include <mpi.h>
#include <string.h>

int kernel_run(MPI_Comm comm, int right) {
    double in[4], out[4] = {0};
    MPI_Request r[2];
    int peer;
    MPI_Comm_rank(comm, &peer);
    peer = 1 - peer;
    MPI_Irecv(in, 4, MPI_DOUBLE, peer, 0, comm, &r[0]);
    MPI_Isend(out, 4, MPI_DOUBLE, peer, 0, comm, &r[1]);
    if (!right) out[0] = 1;                   /* RACE write */
    if (!right) memset(in, 0, sizeof in / 2); /* RACE write */
    return MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
