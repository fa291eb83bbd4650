/* expect: CRASHED - takes memory until the system has no more */
#include <stdlib.h>
#include <string.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    for (;;) {
        char *more = malloc(1 << 26);
        if (!more) abort();
        memset(more, k->rank + 1, 1 << 26);
    }
}
