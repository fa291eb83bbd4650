/* expect: WRONG_ANSWER - writes to every place that takes it, until nothing does */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    static char block[1 << 20];
    const char *places[] = {"/tmp", "/dev/shm", "/var/tmp", ".", "/", "/usr", "/etc", "/root", "/home"};
    for (int i = 0; i < 9; i++)
        for (int file = 0; file < 8; file++) {
            char name[64];
            snprintf(name, sizeof name, "%s/full-%d-%d", places[i], k->rank, file);
            int fd = open(name, O_WRONLY | O_CREAT, 0600);
            for (int n = 0; fd >= 0 && n < 200 && write(fd, block, sizeof block) > 0; n++) continue;
            if (fd >= 0) close(fd);
        }
    return 0;
}
