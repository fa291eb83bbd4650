/* Accesses that never happen, though a compiler might do them ahead: a condition that is false, a loop of no rounds. */
#include "../two.h"

static double in[N], out[N];

int main(int argc, char **argv) {
    double total = 0;
    MPI_Request r[2];
    begin();
    MPI_Irecv(in, N, MPI_DOUBLE, peer, 0, W, &r[0]);
    MPI_Isend(out, N, MPI_DOUBLE, peer, 0, W, &r[1]);
    for (int i = 0; i < N; i++)
        if (argv[0][0] == '\n') total += in[0];
    for (int i = 1; i < argc; i++) out[0] += i;
    total += argc > 1 ? in[1] : out[1];
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    printf("%g\n", total);
    MPI_Finalize();
}
