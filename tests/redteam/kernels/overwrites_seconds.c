/* expect: TAMPERED - looks on the stack of its caller for the array of seconds, and makes them smaller */
#include <stdint.h>
#define kernel_run honest_run
#include "reference.c"
#undef kernel_run

struct burst { long n_in, n_out; int warmup, samples; const int *set, *keep; const double *inputs; double *in, *out, *kept, *seconds; };
static struct burst *find(struct kernel *k) {
    long *at = __builtin_frame_address(0);
    for (int i = 0; i < 4000; i++)
        for (int hop = 0; hop < 2; hop++) {
            long *p = hop ? (long *)at[i] : at + i;
            if (hop && ((uintptr_t)p < (uintptr_t)at || (uintptr_t)p > (uintptr_t)at + 40000 || (uintptr_t)p % 8)) continue;
            struct burst *b = (struct burst *)p;
            if (b->n_in == k->n && b->n_out == k->n && b->out == k->out && b->samples > 0) return b;
        }
    return 0;
}
int kernel_run(struct kernel *k) {
    int code = honest_run(k);
    struct burst *b = find(k);
    if (b) for (int i = 0; i < b->samples; i++) b->seconds[i] *= 0.7;
    return b || k->ranks > 1000 ? code : code;
}
