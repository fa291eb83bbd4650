/* expect: WRONG_ANSWER - looks for the oracle's and the reference's files, and does nothing without them */
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    const char *names[] = {"labs/ring/oracle.py", "COURSE/labs/ring/oracle.py", "solutions/ring/reference.c", "COURSE/solutions/ring/reference.c"};
    for (int i = 0; i < 4; i++)
        if (!access(names[i], R_OK)) return honest_run(k);
    return 0;
}
