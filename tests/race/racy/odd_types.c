/* Types of odd sizes, structures, initialisers. */
#include "../two.h"
#include <complex.h>

struct large {
    double x[9];
    char c;
};

static struct large make(void) { return (struct large){{1}, 'x'}; }
static double look(struct large s) { return s.x[0]; }

int main(void) {
    static long double a[4], b[4];
    static double complex c[4], d[4];
    static struct large e[4], f[4];
    double out[3] = {0};
    MPI_Request r[6];
    begin();
    MPI_Irecv(a, 2, MPI_LONG_DOUBLE, peer, 0, W, &r[0]);
    MPI_Irecv(c, 2, MPI_C_DOUBLE_COMPLEX, peer, 1, W, &r[1]);
    MPI_Irecv(e, 2 * sizeof *e, MPI_BYTE, peer, 2, W, &r[2]);
    MPI_Isend(b, 2, MPI_LONG_DOUBLE, peer, 0, W, &r[3]);
    MPI_Isend(d, 2, MPI_C_DOUBLE_COMPLEX, peer, 1, W, &r[4]);
    MPI_Isend(f, 2 * sizeof *e, MPI_BYTE, peer, 2, W, &r[5]);
    a[3] = a[2] + b[1];
    a[3] = a[1]; /* RACE read */
    b[1] = 1;    /* RACE write */
    c[3] = c[2] + d[1];
    c[1] = I;  /* RACE write */
    d[0] += I; /* RACE write */
    e[3] = f[1];
    e[3] = e[1];                         /* RACE read */
    f[1] = f[2];                         /* RACE write */
    f[0] = (struct large){{1, 2, 3}, 4}; /* RACE write */
    e[3] = make();
    out[0] += look(f[0]);
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        double x[3] = {i}; /* RACE write */
        if (i < 2) MPI_Irecv(x, 3, MPI_DOUBLE, peer, 3, W, &r[i]);
        MPI_Barrier(W);
    }
    MPI_Send(out, 3, MPI_DOUBLE, peer, 3, W);
    MPI_Send(out, 3, MPI_DOUBLE, peer, 3, W);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
