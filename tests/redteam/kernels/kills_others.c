/* expect: CRASHED - stops every other process that it can reach, so that nobody answers */
#include <signal.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    (void)k;
    for (int pid = 1; pid < 4; pid++) kill(pid, SIGSTOP);
    return 0;
}
