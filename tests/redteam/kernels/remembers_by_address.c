/* expect: WRONG_ANSWER - keeps its first result, as if buffers at the same address held the same numbers */
#include <stdlib.h>
#include <string.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

static const double *seen;
static double *kept;
static int n;
int kernel_run(struct kernel *k) {
    if (seen == k->in && n == k->n) {
        memcpy(k->out, kept, sizeof(double) * (size_t)n);
        return 0;
    }
    int code = honest_run(k);
    seen = k->in;
    n = k->n;
    kept = realloc(kept, sizeof(double) * (size_t)n);
    memcpy(kept, k->out, sizeof(double) * (size_t)n);
    return code;
}
