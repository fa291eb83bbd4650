/* In a loop, the line of the access is named, whatever the compiler makes of the loop. */
#include "../two.h"

static double sum(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i]; /* RACE read */
    return s;
}

static inline void clear(double *x, int n) {
    for (int i = 0; i < n; i++) x[i] = 0; /* RACE write */
}

int main(void) {
    static double in[N], out[N];
    double total = 0;
    MPI_Request r[2];
    begin();
    for (int step = 0; step < 3; step++) {
        MPI_Irecv(in, N, MPI_DOUBLE, peer, 0, W, &r[0]);
        MPI_Isend(out, N, MPI_DOUBLE, peer, 0, W, &r[1]);
        total += sum(in, N);
        clear(out, N);
        for (int i = 0; i < N; i++)
            if (i % 2) out[0] += i; /* RACE write */
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        total += sum(in, N);
        clear(out, N);
    }
    printf("%g\n", total);
    MPI_Finalize();
}
