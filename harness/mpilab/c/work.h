/* Modelled computation: so many floating-point operations that have nothing to do with the messages.
 *
 * kernel_work(flops) is the one place where platforms differ.  On cores it computes, a fixed amount of arithmetic, so two
 * ranks that share a core take twice as long, as they must; never a spin on the clock.  On emulated nodes it sleeps for
 * as long as a core of 1 Gflop/s would compute, which leaves the real cores to other ranks (host.c). */
#ifndef MPILAB_WORK_H
#define MPILAB_WORK_H

#include <dlfcn.h>
#include <stddef.h>

/* Does the arithmetic: eight chains of multiply and add, 16 operations a turn. */
static inline void mpilab_compute(double flops) {
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (long turns = (long)(flops / 16); turns > 0; turns--)
        for (int i = 0; i < 8; i++) x[i] = x[i] * 0.999999 + 1e-6;
    volatile double sink = 0;
    for (int i = 0; i < 8; i++) sink += x[i];
}

static inline void kernel_work(double flops) {
    static int looked;
    static void (*work)(double); /* the harness's; without it, as in a program of your own, work is done right here */
    if (!looked) *(void **)&work = dlsym(NULL, "mpilab_work");
    looked = 1;
    if (work)
        work(flops);
    else
        mpilab_compute(flops);
}

#endif
