/* What overlaps rightly: the send buffer is read, sent twice, and everything around the buffers is used. */
#include "../two.h"

struct line {
    char before[3], data[5], after[56];
};

int main(void) {
    static double out[N], in[N + 2];
    static struct line lines[2];
    char text[N] = "text", copy[N];
    double total = 0;
    MPI_Request r[8];
    begin();
    MPI_Irecv(in + 1, N, MPI_DOUBLE, peer, 0, W, &r[0]);
    MPI_Irecv(copy, 0, MPI_CHAR, peer, 1, W, &r[1]);
    MPI_Irecv(lines[0].data, 5, MPI_CHAR, peer, 2, W, &r[2]);
    MPI_Isend(out, N, MPI_DOUBLE, peer, 0, W, &r[3]);
    MPI_Isend(out, 0, MPI_DOUBLE, peer, 1, W, &r[4]);
    MPI_Isend(text, 5, MPI_CHAR, peer, 2, W, &r[5]);
    MPI_Isend(text, 5, MPI_CHAR, MPI_PROC_NULL, 3, W, &r[6]);
    for (int i = 0; i < N; i++) total += out[i];
    in[0] = in[N + 1] = total;
    memset(lines[0].before, 1, 3);
    memset(lines[0].after, 1, 56);
    for (int i = 0; i < 3; i++) lines[0].before[i] = lines[0].after[i];
    lines[1] = (struct line){{0}, {0}, {0}};
    memcpy(copy, text, N);
    memset(text + 5, 'x', 5);
    printf("%s %s %g\n", text, copy, in[0]);
    MPI_Waitall(7, r, MPI_STATUSES_IGNORE);
    total = in[1] + lines[0].data[4];
    memset(text, 0, N);
    out[0] = total;
    MPI_Finalize();
}
