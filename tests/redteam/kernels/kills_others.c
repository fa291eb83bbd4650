/* expect: WRONG_ANSWER - sends SIGKILL to every process it can reach but its own, and does nothing else */
#include <signal.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    (void)k;
    for (int pid = 1; pid < 4; pid++) kill(pid, SIGSTOP);
    return 0;
}
