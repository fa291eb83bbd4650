/* expect: TAMPERED - keeps its results, and gives them back when the same input comes again */
#include <stdlib.h>
#include <string.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

enum { MOST = 64 };
static struct { double key[4]; double *out; int n; long steps; } known[MOST];
static int count;
int kernel_run(struct kernel *k) {
    double key[4] = {k->in[0], k->in[k->n / 3], k->in[k->n / 2], k->in[k->n - 1]};
    for (int i = 0; i < count; i++)
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
