/* The host of a kernel inside an engine: the control page, the timed loop, and a decent death.
 *
 * Theory of operation.  Python (engine.py) loads a kernel and calls its init and free; the loop of timed runs is here,
 * for C and Python kernels alike, so that the clock is the kernel's own (clock_gettime, called from C) and nothing that
 * a Python kernel patches can change it.  What must survive a crash is written to the control page at once. */
#define _GNU_SOURCE
#include "strict.h"
#include "work.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static struct rank_page unattached;
struct rank_page *volatile mpilab_page = &unattached;
static int kernel_child; /* this process was forked by a kernel: it ends where the kernel returns */

/* ---- a decent death -------------------------------------------------------------------------------------------- */

static void after_fork_in_child(void) {
    if (mpilab_page->phase != PHASE_IDLE) mpilab_page->forked = kernel_child = 1;
    mpilab_use_page(&unattached); /* the child speaks for nobody */
}

/* The frames that are the program's own, as text: nobody can look them up when the process is gone. */
static void note_places(void *const *frames, int count) {
    char *text = mpilab_page->crash_at;
    size_t length = 0;
    for (int i = 0; i < count && length + 200 < PAGE_TEXT; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname || strstr(info.dli_fname, ".so")) continue;
        length += (size_t)snprintf(text + length, PAGE_TEXT - length, "%s+0x%lx\n", info.dli_fname,
                                   (unsigned long)((char *)frames[i] - (char *)info.dli_fbase - 1));
    }
}

static void note_signal(int number) {
    struct rank_page *page = mpilab_page;
    void *frames[PAGE_FRAMES];
    int count = backtrace(frames, PAGE_FRAMES);
    for (int i = 0; i < count; i++) page->frames[i] = (uint64_t)frames[i] - page->kernel_base;
    if (page->phase == PHASE_IDLE) note_places(frames, count);
    page->frame_count = count;
    page->signal = number;
    signal(number, SIG_DFL);
    raise(number);
}

static void note_exit(void) {
    if (mpilab_page->phase != PHASE_IDLE) mpilab_page->exited = 1;
}

void mpilab_catch_signals(void) {
    static char stack[1 << 16];
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

/* ---- the control page ------------------------------------------------------------------------------------------ */

/* Maps the page of `rank` in the file `path`; `size` is what the reader takes for sizeof(struct rank_page).
 * Returns that size as it is here when they differ, 0 when all is well, or -1 when the file cannot be mapped. */
long mpilab_attach(const char *path, int rank, long size) {
    void *frames[1];
    if (size != (long)sizeof(struct rank_page)) return (long)sizeof(struct rank_page);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    size_t length = sizeof(struct rank_page) * (size_t)(rank + 1);
    struct rank_page *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (pages == MAP_FAILED) return -1;
    mpilab_use_page(&pages[rank]);
    mpilab_page->pid = getpid();
    mpilab_page->life = LIFE_MPI;
    mpilab_comms_begin();
    atexit(note_exit);
    pthread_atfork(NULL, NULL, after_fork_in_child);
    backtrace(frames, 1); /* loads libgcc now, not in a signal handler */
    return 0;
}

/* Forgets what the last kernel did. */
void mpilab_clear(void) {
    struct rank_page *page = mpilab_page;
    memset(&page->phase, 0, sizeof *page - offsetof(struct rank_page, phase));
    memset(page->threads, 0, sizeof page->threads);
    memset(page->posted, 0, sizeof page->posted);
    page->pid = getpid();
    mpilab_catch_signals(); /* again each time: a kernel may have replaced them */
}

void mpilab_phase(int phase) {
    static const char *const regions[] = {
        [PHASE_INIT] = "init", [PHASE_RUN] = "run", [PHASE_FREE] = "free", [PHASE_WAIT] = NULL};
    if (kernel_child) _exit(0);
    mpilab_page->phase = phase;
    if (mpilab_page->mode == MODE_RECORD) mpilab_region_only(regions[phase]);
}

int mpilab_current_phase(void) { return mpilab_page->phase; }

/* Notes where the library that holds `symbol` is mapped, so that addresses in it can be given as file and line. */
void mpilab_kernel_at(const void *symbol) {
    Dl_info info;
    mpilab_page->kernel_base = dladdr(symbol, &info) ? (uint64_t)info.dli_fbase : 0;
}

/* ---- a recorded run: a ring of its own for one kernel -------------------------------------------------------------- */

/* Collective over `comm`.  Returns 0, or -1 when there is no room for the ring. */
int mpilab_record_kernel(MPI_Fint comm, const char *folder, uint64_t least, uint32_t groups) {
    if (mpilab_record_open(comm, folder, least, groups, 0)) return -1;
    mpilab_page->mode = MODE_RECORD;
    return 0;
}

void mpilab_record_off(void) {
    if (mpilab_page->mode == MODE_RECORD) mpilab_page->mode = MODE_OFF;
    mpilab_record_close();
}

/* ---- after a run ----------------------------------------------------------------------------------------------- */

struct stray {
    int found, source, tag, bytes;
};

/* A collective look for messages on `comm` that nobody received.  The barrier comes first, so every send that was
 * started has had its chance to arrive; `host` is the harness's own communicator over the same ranks. */
int mpilab_stray_message(MPI_Fint comm, MPI_Fint host, struct stray *stray) {
    MPI_Status status;
    memset(stray, 0, sizeof *stray);
    mpilab_phase(PHASE_WAIT);
    int result = PMPI_Barrier(PMPI_Comm_f2c(host));
    for (int i = 0; i < 3 && !result && !stray->found; i++)
        result = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, PMPI_Comm_f2c(comm), &stray->found, &status);
    if (stray->found) {
        stray->source = status.MPI_SOURCE;
        stray->tag = status.MPI_TAG;
        PMPI_Get_count(&status, MPI_BYTE, &stray->bytes);
    }
    return result;
}

/* ---- modelled compute -------------------------------------------------------------------------------------------- */

static int emulated;

/* Whether modelled compute sleeps (work.h); a rank then wakes within microseconds of the time, not the usual fifty. */
void mpilab_emulate(int on) {
    emulated = on;
    prctl(PR_SET_TIMERSLACK, on ? 1000UL : 0UL); /* nanoseconds; 0: as it was at first */
}

void mpilab_work(double flops) {
    struct timespec end;
    if (!emulated) {
        mpilab_compute(flops);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    long long nanoseconds = end.tv_nsec + (long long)flops;
    end.tv_sec += nanoseconds / 1000000000;
    end.tv_nsec = nanoseconds % 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {}
}

/* ---- the timed loop -------------------------------------------------------------------------------------------- */

struct burst {
    long n_in, n_out;     /* doubles */
    int warmup, samples;  /* runs before, and runs that count */
    const int *set;       /* [warmup + samples] which of the input sets each run gets */
    const int *keep;      /* [warmup + samples] the row of `kept` its output is copied to, or -1 */
    const double *inputs; /* [sets][n_in] */
    double *in, *out;     /* the buffers the kernel is bound to */
    double *kept;         /* [rows][n_out] */
    double *seconds;      /* [samples] this rank's time of each */
    double *sums;         /* [warmup + samples] of each output, weighted */
};

/* What element j of an output counts in its sum, 1 to 2; check.py has the same: no output of a run goes unseen, even where
 * only one of a burst is sent back whole. */
static double weighted_sum(const double *out, long n) {
    double total = 0;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t x = (j ^ (j >> 15)) * 2654435761u;
        total += out[j] * (1.0 + (double)((x ^ (x >> 13)) & 0xffff) / 65536.0);
    }
    return total;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs the kernel warmup + samples times.  Before each run: fresh input, output filled with NaN, a barrier.
 * Returns 0, or the first code that `run` returned. */
int mpilab_burst(MPI_Fint host, int (*run)(void *), void *self, const struct burst *b) {
    MPI_Comm comm = PMPI_Comm_f2c(host);
    for (int i = 0; i < b->warmup + b->samples; i++) {
        memcpy(b->in, b->inputs + b->set[i] * b->n_in, sizeof(double) * (size_t)b->n_in);
        memset(b->out, 0xff, sizeof(double) * (size_t)b->n_out);
        mpilab_phase(PHASE_WAIT);
        PMPI_Barrier(comm);
        mpilab_phase(PHASE_RUN);
        double start = now_s();
        int code = run(self);
        double stop = now_s();
        if (kernel_child) _exit(0);
        if (code) return code;
        b->sums[i] = weighted_sum(b->out, b->n_out);
        if (i >= b->warmup) b->seconds[i - b->warmup] = stop - start;
        if (b->keep[i] >= 0) memcpy(b->kept + b->keep[i] * b->n_out, b->out, sizeof(double) * (size_t)b->n_out);
    }
    return 0;
}
