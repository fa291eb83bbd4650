/* expect: WRONG_ANSWER - writes down its answer in /tmp and reads it in the next run */
#include <stdio.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    char name[64];
    snprintf(name, sizeof name, "/tmp/answer-%d-%d-%d-%ld", k->rank, k->ranks, k->n, k->steps);
    FILE *f = fopen(name, "rb");
    if (f) {
        size_t got = fread(k->out, sizeof(double), (size_t)k->n, f);
        fclose(f);
        return got != (size_t)k->n;
    }
    int code = honest_run(k);
    f = fopen(name, "wb");
    fwrite(k->out, sizeof(double), (size_t)k->n, f);
    fclose(f);
    return code;
}
