/* expect: CRASHED - starts itself anew with LD_PRELOAD */
#include <stdlib.h>
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    setenv("LD_PRELOAD", "/tmp/mine.so", 1);
    execl("/proc/self/exe", "python", "-c", "pass", (char *)0);
    return honest_run(k);
}
