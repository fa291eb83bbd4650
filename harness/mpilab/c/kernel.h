/* The contract between a C kernel and the mpilab harness.
 *
 * This header is force-included before every kernel (mpicc -include kernel.h), so a kernel with another signature is a
 * compile error that shows both prototypes.  A kernel defines its own `struct kernel` and three functions:
 *
 *   kernel_init   called once: bind the buffers, set up what is needed, allocate *self
 *   kernel_run    the only timed call; called many times, with fresh data at the same addresses
 *   kernel_free   called once: give everything back
 *
 * Each returns 0, or a code of your own to say that it failed.  `in` and `out` stay where they are between init and
 * free, so persistent requests may be bound to them; `in` is new before every run, `out` must be complete after it.
 */
#ifndef MPILAB_KERNEL_H
#define MPILAB_KERNEL_H

#include "mpilab.h" /* named regions, for mpilab trace */
#include "work.h"   /* kernel_work */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct kernel_shape {
    long n;      /* the size of the problem; the lab's text says of what */
    long steps;  /* how many times the exchange is repeated in one run */
    long n_in;   /* length of in[] on this rank, in doubles */
    long n_out;  /* length of out[] on this rank, in doubles */
    double work; /* floating-point operations in a unit of modelled compute, for kernel_work; often 0 */
};

/* Calls MPI, and hands a failed call's code up to the harness, which reports it. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int code_ = (call);                                                                                            \
        if (code_) return code_;                                                                                       \
    } while (0)

struct kernel;

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self);
int kernel_run(struct kernel *self);
int kernel_free(struct kernel **self);

#endif
