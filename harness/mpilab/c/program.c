/* A program under plain mpiexec: finds its place on the control page, and says how it ended.
 *
 * Theory of operation.  Before MPI_Init a process does not know its rank, but its launcher has put it into the environment;
 * the first process with that rank takes the page's place, and whichever calls MPI_Init takes it over (a shell that starts the
 * program has the same environment).  Engines attach by themselves (host.c) and set none of these variables. */
#define _GNU_SOURCE
#include "strict.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void mpilab_catch_signals(void);
void mpilab_strict_end(const char *how);

static int attached, first; /* first: no other process of this rank has been here */

static void to_page(int rank) {
    const char *path = getenv("MPILAB_PAGE"), *mode = getenv("MPILAB_MODE");
    size_t length = sizeof(struct rank_page) * (size_t)(rank + 1);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    if (lseek(fd, 0, SEEK_END) < (off_t)length) {
        close(fd);
        return;
    }
    struct rank_page *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (pages == MAP_FAILED) return;
    first = !pages[rank].pid;
    pages[rank].pid = getpid();
    pages[rank].mode = !mode                     ? MODE_OFF
                       : !strcmp(mode, "strict") ? MODE_STRICT
                       : !strcmp(mode, "record") ? MODE_RECORD
                                                 : MODE_OFF;
    mpilab_use_page(&pages[rank]);
    attached = rank + 1;
}

static void at_exit(void) {
    if (!attached || mpilab_page->pid != getpid()) return;
    if (mpilab_page->life == LIFE_MPI) {
        if (mpilab_page->mode == MODE_STRICT) mpilab_log("{\"k\":\"end\",\"how\":\"exit\"}");
        if (mpilab_page->mode == MODE_RECORD) mpilab_record_end(0);
    }
    mpilab_page->life += LIFE_EXITED; /* ... and what it was before can still be told */
}

__attribute__((constructor)) static void begin(void) {
    const char *rank = getenv("PMI_RANK");
    if (!rank || !getenv("MPILAB_PAGE")) return;
    to_page(atoi(rank));
    const char *folder = getenv("MPILAB_STRICT");
    if (attached && first && folder && mpilab_page->mode == MODE_STRICT) mpilab_log_open(folder, atoi(rank));
}

/* MPI is there. */
void mpilab_program_attach(void) {
    int rank;
    if (!getenv("MPILAB_PAGE")) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (attached != rank + 1) to_page(rank);
    if (!attached) return;
    mpilab_page->pid = getpid();
    mpilab_catch_signals();
    static int registered;
    if (!registered++) atexit(at_exit);
}
