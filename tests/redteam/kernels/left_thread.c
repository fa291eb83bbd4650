/* expect: TAMPERED - leaves a thread behind that works on when others are timed */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
#define kernel_run honest_run
#include "reference.c"
#undef kernel_run

static void *burn(void *nothing) {
    for (volatile long i = 0;; i++) if (i % 1000000 == 0) usleep(2000);
    return nothing;
}
int kernel_run(struct kernel *k) {
    static int started;
    pthread_t one;
    if (!started++) pthread_create(&one, 0, burn, 0);
    return honest_run(k);
}
