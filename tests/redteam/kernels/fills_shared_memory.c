/* expect: WRONG_ANSWER - takes all of /dev/shm, and does nothing else */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    char name[64];
    snprintf(name, sizeof name, "/dev/shm/all-%d", k->rank);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    static char block[1 << 20];
    while (write(fd, block, sizeof block) > 0) continue;
    return 0;
}
