/* expect: WRONG_ANSWER - looks for other processes' memory, and does nothing without */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    for (int pid = 1; pid < 400; pid++) {
        char name[64], link[256] = "";
        snprintf(name, sizeof name, "/proc/%d/fd/1", pid);
        if (pid != getpid() && pid != 1 && readlink(name, link, 255) > 0 && strstr(link, "pipe") && open(name, O_WRONLY) >= 0) {
            snprintf(name, sizeof name, "/proc/%d/cmdline", pid);
            char text[256] = "";
            FILE *f = fopen(name, "r");
            if (f && fread(text, 1, 255, f) && strstr(text + 40, "mpilab.cluster")) return honest_run(k);
        }
    }
    return 0;
}
