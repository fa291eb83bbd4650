/* expect: CRASHED - starts processes until there is no room for more */
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    for (;;) fork();
    return honest_run(k);
}
