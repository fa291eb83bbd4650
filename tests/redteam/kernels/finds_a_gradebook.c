/* expect: WRONG_ANSWER - looks through the whole file tree for a gradebook or another student, and does nothing without */
#define _GNU_SOURCE
#include <ftw.h>
#include <string.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

static int found;
static int look(const char *path, const struct stat *s, int type, struct FTW *w) {
    (void)s; (void)type; (void)w;
    const char *secret[] = {"gradebook", "submitted", "oracle.py", "reference.", "lab.toml", ".ssh", "/grades"};
    for (int i = 0; i < 7; i++) found |= strstr(path, secret[i]) && strncmp(path, "/usr", 4) && !strstr(path, "site-packages");
    return found;
}
int kernel_run(struct kernel *k) {
    if (!k->rank) nftw("/", look, 20, FTW_PHYS | FTW_MOUNT);
    MPI_Bcast(&found, 1, MPI_INT, 0, k->comm);
    return found ? honest_run(k) : 0;
}
