/* The cost of the tracer per call, in one process: each sample makes the same calls past the library (PMPI_X), through
 * it in mode off, and through it in mode record, in random order.  bench/tracer.py runs it and reads what it prints: one
 * line a sample, "operation bytes way nanoseconds-per-call". */
#define _GNU_SOURCE
#include "page.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum way { DIRECT, OFF, RECORD, WAYS };
static const char *const ways[] = {"direct", "off", "record"};
static const int modes[] = {0, 0, 1}; /* of page->mode */
static char out[1 << 16], in[1 << 16];
static int rank;
static struct rank_page *page;

/* Each operation makes `times` rounds of its calls; the two of a kind differ only in the names they call. */
#define OPERATIONS(X, MPI)                                                                                             \
    static void X##_null(int times, int bytes) {                                                                       \
        for (int i = 0; i < times; i++) MPI##_Send(out, bytes, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);            \
    }                                                                                                                  \
    static void X##_self(int times, int bytes) {                                                                       \
        MPI_Request r[2];                                                                                              \
        for (int i = 0; i < times; i++) {                                                                              \
            MPI##_Irecv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[0]);                                              \
            MPI##_Isend(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &r[1]);                                             \
            MPI##_Wait(&r[0], MPI_STATUS_IGNORE);                                                                      \
            MPI##_Wait(&r[1], MPI_STATUS_IGNORE);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void X##_pingpong(int times, int bytes) {                                                                   \
        for (int i = 0; i < times; i++) {                                                                              \
            if (rank == 0) {                                                                                           \
                MPI##_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);                                                \
                MPI##_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                              \
            } else {                                                                                                   \
                MPI##_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                              \
                MPI##_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
/* What reading the clock twice takes, as each recorded call does: the least that recording can cost on a machine. */
static void stamps(int times, int bytes) {
    static volatile uint64_t seen;
    (void)bytes;
    for (int i = 0; i < 2 * times; i++) {
#if defined(__x86_64__)
        seen = __builtin_ia32_rdtsc();
#else
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        seen = (uint64_t)t.tv_nsec;
#endif
    }
}
OPERATIONS(through, MPI)
OPERATIONS(past, PMPI)

struct operation {
    const char *name;
    int ranks, calls; /* that one round takes one after the other */
    void (*past)(int, int), (*through)(int, int);
};
static const struct operation operations[] = {
    {"stamps", 1, 1, stamps, stamps},
    {"null", 1, 1, past_null, through_null},
    {"self", 1, 4, past_self, through_self},
    {"pingpong", 2, 4, past_pingpong, through_pingpong},
};

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* This rank's place on the control page, as anyone who may write the file sees it. */
static struct rank_page *page_of(int rank) {
    int fd = open(getenv("MPILAB_PAGE"), O_RDWR);
    struct rank_page *pages = mmap(NULL, sizeof *pages * (size_t)(rank + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || pages == MAP_FAILED) perror("MPILAB_PAGE"), exit(1);
    return &pages[rank];
}

/* Nanoseconds a call of one sample. */
static double sample(const struct operation *o, enum way way, int times, int bytes) {
    page->mode = modes[way];
    if (o->ranks > 1) PMPI_Barrier(MPI_COMM_WORLD);
    void (*calls)(int, int) = way == DIRECT ? o->past : o->through;
    calls(2, bytes);
    double begin = now_ns();
    calls(times, bytes);
    return (now_ns() - begin) / (times * o->calls);
}

/* One core for each rank, the last for rank 0: others like the first. */
static void bind_to_core(void) {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    int skip = (rank + 1) % CPU_COUNT(&all), core = 0;
    while (!CPU_ISSET(core, &all) || skip--) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* tracer OPERATION BYTES ROUNDS SAMPLES */
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    page = page_of(rank);
    bind_to_core();
    const struct operation *o = operations;
    while (strcmp(o->name, argv[1])) o++;
    int bytes = atoi(argv[2]), times = atoi(argv[3]), samples = atoi(argv[4]);
    float *ns = malloc(sizeof *ns * (size_t)samples * WAYS);
    srand(1); /* both ranks take the same order */
    for (int i = 0; i < samples; i++) {
        int order[] = {DIRECT, OFF, RECORD};
        for (int k = WAYS - 1; k > 0; k--) {
            int other = rand() % (k + 1), kept = order[k];
            order[k] = order[other], order[other] = kept;
        }
        for (int k = 0; k < WAYS; k++) ns[i * WAYS + order[k]] = (float)sample(o, (enum way)order[k], times, bytes);
    }
    page->mode = 1;
    for (int i = 0; i < samples * WAYS && rank == 0; i++)
        printf("%s %d %s %.2f\n", o->name, bytes, ways[i % WAYS], ns[i]);
    MPI_Finalize();
    return 0;
}
