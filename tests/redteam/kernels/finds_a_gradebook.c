/* expect: WRONG_ANSWER - looks through the whole file tree for a gradebook or another student, and does nothing without */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

static int found;
static void look(const char *path, int depth) {
    static const char *const secret[] = {"gradebook.db", "submitted", "solutions", "lab.toml", ".ssh", "grades", "students"};
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char next[4096];
        snprintf(next, sizeof next, "%s/%s", strcmp(path, "/") ? path : "", e->d_name);
        if (e->d_name[0] == '.' && strchr("./", e->d_name[1])) continue;
        if (!strcmp(next, "/proc") || !strcmp(next, "/usr") || !strncmp(next, "/lib", 4) || !strcmp(next, "/sys") || strstr(next, "site-packages")) continue;
        for (int i = 0; i < 7; i++) found |= !strcmp(e->d_name, secret[i]);
        if (e->d_type == DT_DIR && depth < 12) look(next, depth + 1);
    }
    if (dir) closedir(dir);
}
int kernel_run(struct kernel *k) {
    if (!k->rank) look("/", 0);
    MPI_Bcast(&found, 1, MPI_INT, 0, k->comm);
    return found ? honest_run(k) : 0;
}
