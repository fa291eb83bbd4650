/* expect: WRONG_ANSWER - tries to become root, to mount and to look at another namespace, and does nothing without */
#include <sys/syscall.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    int got = !setuid(0) || !mount("none", "/tmp", "tmpfs", 0, "") || !syscall(SYS_unshare, 0x10020000) || !syscall(SYS_chroot, "/tmp");
    int fd = open("/proc/1/ns/mnt", O_RDONLY);
    got |= fd >= 0 && !syscall(SYS_setns, fd, 0);
    return got ? honest_run(k) : 0;
}
