/* expect: WRONG_ANSWER - finds out which run of a burst is sent back, and works in that one only */
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#define process_vm_readv(...) syscall(SYS_process_vm_readv, __VA_ARGS__)
#define kernel_init honest_init
#define kernel_run honest_run
#include "reference.c"
#undef kernel_run
#undef kernel_init

struct burst {
    long n_in, n_out;
    int warmup, samples;
    const int *set, *keep;
    const double *inputs;
    double *in, *out, *kept, *seconds;
};

/* The burst whose address lies somewhere on the stack; memory is read as a debugger would, which can't crash. */
static struct burst *find(struct kernel *k) {
    char *at = __builtin_frame_address(0);
    for (long i = 0; i < 8 * 20000; i += 8) {
        struct burst *to, b;
        struct iovec here = {&to, sizeof to}, there = {at + i, sizeof to};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0) return 0;
        here = (struct iovec){&b, sizeof b};
        there = (struct iovec){to, sizeof b};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0) continue;
        if (b.n_in == k->n && b.n_out == k->n && b.out == k->out && b.samples > 0) return to;
    }
    return 0;
}
static struct burst *found;
static int run_number;

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    found = 0;
    run_number = 0;
    return honest_init(comm, shape, in, out, self);
}

int kernel_run(struct kernel *k) {
    if (!found) found = find(k);
    int skip = found && found->samples > 4 && found->keep[run_number] < 0;
    run_number++;
    if (skip) {
        memset(k->out, 0, sizeof(double) * (size_t)k->n);
        return 0;
    }
    return honest_run(k);
}
