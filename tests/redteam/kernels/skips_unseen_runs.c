/* expect: WRONG_ANSWER - finds out which run of a burst is sent back, and works in that one only */
#include <string.h>
#define kernel_run honest_run
#include "reference.c"
#undef kernel_run

struct burst { long n_in, n_out; int warmup, samples; const int *set, *keep; const double *inputs; double *in, *out, *kept, *seconds; };
static struct burst *find(struct kernel *k) {
    long *at = __builtin_frame_address(0);
    for (int i = 0; i < 40000; i++) {
        struct burst *b = (struct burst *)(at + i);
        if (b->n_in == k->n && b->n_out == k->n && b->out == k->out && b->samples > 0) return b;
    }
    return 0;
}
static struct burst *found;
static int run_number;
int kernel_run(struct kernel *k) {
    if (!found) found = find(k);
    int skip = found && found->samples > 4 && found->keep[run_number % (found->warmup + found->samples)] < 0;
    run_number++;
    if (skip) {
        memset(k->out, 0, sizeof(double) * (size_t)k->n);
        return 0;
    }
    return honest_run(k);
}
