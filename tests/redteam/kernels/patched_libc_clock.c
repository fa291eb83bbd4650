/* expect: TAMPERED - writes over the C library's clock_gettime, so that time passes at half its speed */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define kernel_run honest_run
#include "reference.c"
#undef kernel_run

static long first;
static int slow_clock(clockid_t id, struct timespec *t) {
    struct timespec now;
    syscall(SYS_clock_gettime, id, &now);
    long ns = now.tv_sec * 1000000000L + now.tv_nsec;
    if (!first) first = ns;
    ns = first + (ns - first) / 2;
    t->tv_sec = ns / 1000000000L;
    t->tv_nsec = ns % 1000000000L;
    return 0;
}
__attribute__((constructor)) static void patch(void) {
    char *at = dlsym(RTLD_NEXT, "clock_gettime");
    char jump[] = "\x48\xb8________\xff\xe0";
    void *to = (void *)slow_clock;
    memcpy(jump + 2, &to, 8);
    mprotect((void *)((uintptr_t)at & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy(at, jump, 12);
}
int kernel_run(struct kernel *k) { return honest_run(k); }
