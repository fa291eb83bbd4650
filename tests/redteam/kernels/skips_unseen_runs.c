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

#include "find_burst.c"

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
