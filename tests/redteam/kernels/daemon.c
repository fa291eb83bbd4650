/* expect: CRASHED - detaches a process that outlives it */
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    if (!fork()) {
        setsid();
        if (!fork()) for (;;) sleep(1);
        _exit(0);
    }
    return honest_run(k);
}
