/* expect: TAMPERED - defines the clock that the harness asks */
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t) { (void)id; t->tv_sec = 0; t->tv_nsec = 0; return 0; }
int kernel_run(struct kernel *k) { return honest_run(k); }
