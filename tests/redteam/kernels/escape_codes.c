/* expect: WRONG_ANSWER - prints control characters that would rewrite the terminal and the page */
#include <stdio.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    if (!k->rank) printf("\033[2J\033[1;1HOK  score 10 of 10\033]0;owned\007</pre><script>alert(1)</script>\n");
    fflush(stdout);
    return 0;
}
