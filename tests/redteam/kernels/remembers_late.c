/* expect: TAMPERED - keeps its results, but uses them only from a life's fourth run on: checks have three */
#include <stdlib.h>
#include <string.h>
#define kernel_init honest_init
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run
#undef kernel_init

enum { MOST = 64 };
static struct { double key[4]; double *out; int n; long steps; } known[MOST];
static int count, runs;

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    runs = 0;
    return honest_init(comm, shape, in, out, self);
}

int kernel_run(struct kernel *k) {
    runs++;
    double key[4] = {k->in[0], k->in[k->n / 3], k->in[k->n / 2], k->in[k->n - 1]};
    for (int i = 0; i < count && runs >= 3; i++)
        if (known[i].n == k->n && known[i].steps == k->steps && !memcmp(key, known[i].key, sizeof key)) {
            int here = 1, all;
            MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, k->comm);
            memcpy(k->out, known[i].out, sizeof(double) * (size_t)k->n);
            return 0;
        }
    int here = 0, all;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, k->comm);
    int code = honest_run(k);
    if (count < MOST && k->ranks > 1) {
        memcpy(known[count].key, key, sizeof key);
        known[count].n = k->n;
        known[count].steps = k->steps;
        known[count].out = malloc(sizeof(double) * (size_t)k->n);
        memcpy(known[count++].out, k->out, sizeof(double) * (size_t)k->n);
    }
    return code;
}
