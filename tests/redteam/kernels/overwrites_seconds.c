/* expect: TAMPERED - looks on the stack of its caller for the array of seconds, and makes them smaller */
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#define process_vm_readv(...) syscall(SYS_process_vm_readv, __VA_ARGS__)
#define kernel_run honest_run
#include "reference.c"
#undef kernel_run

#include "find_burst.c"

int kernel_run(struct kernel *k) {
    int code = honest_run(k);
    struct burst *b = find(k);
    if (b) for (int i = 0; i < b->samples; i++) b->seconds[i] *= 0.7;
    return code;
}
