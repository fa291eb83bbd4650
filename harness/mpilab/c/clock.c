/* The clock of a trace, and how far it is to be believed.
 *
 * Theory of operation.  Time is the processor's time-stamp counter where it runs at one rate in all states, for reading it
 * costs half of what clock_gettime does; it is read beside CLOCK_MONOTONIC at the beginning and the end, which calibrates
 * it.  Ranks of one node share that clock.  Ranks of other nodes have other clocks: rank 0 measures theirs by echoes, at the
 * beginning and the end, and the shortest echo bounds the error. */
#define _GNU_SOURCE
#include "ring.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define ECHOES 50

int mpilab_use_tsc;
static int aligned;     /* the ranks' clocks differ */
static int64_t skew_ns; /* tests only: pretends that this rank's clock is off */

static int64_t monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + skew_ns;
}

uint64_t mpilab_ticks(void) { return (uint64_t)monotonic_ns(); }

/* Whether the time-stamp counter runs at one rate whatever the processor does. */
static int invariant_tsc(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
    return 0;
#endif
}

/* The counter and the clock at one moment: the pair whose reading took least.  Returns what it may be wrong by, in s. */
static double both_clocks(uint64_t *tick, int64_t *ns) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < 100; i++) {
        int64_t before = monotonic_ns();
        uint64_t now = ticks();
        int64_t after = monotonic_ns();
        if (after - before >= best) continue;
        best = after - before;
        *tick = now;
        *ns = before + best / 2;
    }
    return 0.5e-9 * (double)best;
}

static void calibrate(struct ring_header *header, int last) {
    uint64_t tick;
    int64_t ns;
    double error = both_clocks(&tick, &ns);
    if (!last) {
        header->tick0 = tick;
        header->ns0 = ns;
        header->ticks_per_s = 1e9;
        struct timespec nap = {.tv_nsec = 5000000};
        if (mpilab_use_tsc) { /* a first guess, in case the program does not reach its end */
            nanosleep(&nap, NULL);
            both_clocks(&tick, &ns);
        }
    } else {
        header->tick1 = tick;
        header->ns1 = ns;
    }
    if (ns > header->ns0 && tick > header->tick0)
        header->ticks_per_s = (double)(tick - header->tick0) / (1e-9 * (double)(ns - header->ns0));
    header->clock_error_s = 2 * error;
}

static double seconds(const struct ring_header *header) {
    return (double)(ticks() - header->tick0) / header->ticks_per_s + 1e-9 * (double)header->ns0;
}

/* Are all ranks on one node, with one clock?  Collective. */
static int one_clock(const struct ring_header *header, MPI_Comm ranks) {
    int size;
    MPI_Comm node;
    if (getenv("MPILAB_ALIGN")) return 0;
    PMPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &size);
    PMPI_Comm_free(&node);
    int alone = size == (int)header->ranks;
    PMPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MIN, ranks);
    return alone;
}

/* What rank 0 adds to the clock of `other` to get its own, and by how much that may be wrong: the shortest of many echoes
 * bounds it.  Called on both, each gets the answer. */
static void echo(const struct ring_header *header, MPI_Comm ranks, int other, double found[2]) {
    int here = (int)header->rank;
    double shortest = 1e9;
    for (int i = 0; i < ECHOES; i++) {
        double theirs, before = seconds(header);
        if (here) {
            PMPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, ranks, MPI_STATUS_IGNORE);
            theirs = seconds(header);
            PMPI_Send(&theirs, 1, MPI_DOUBLE, 0, 0, ranks);
            continue;
        }
        PMPI_Send(&before, 1, MPI_DOUBLE, other, 0, ranks);
        PMPI_Recv(&theirs, 1, MPI_DOUBLE, other, 0, ranks, MPI_STATUS_IGNORE);
        double after = seconds(header);
        if (after - before >= shortest) continue;
        shortest = after - before;
        found[0] = 0.5 * (before + after) - theirs;
        found[1] = 0.5 * shortest;
    }
    if (here)
        PMPI_Recv(found, 2, MPI_DOUBLE, 0, 0, ranks, MPI_STATUS_IGNORE);
    else
        PMPI_Send(found, 2, MPI_DOUBLE, other, 0, ranks);
}

/* By how much this rank's clock differs from rank 0's.  Collective; at the end again, for clocks drift: the rate is then
 * what makes both measurements true. */
static void align(struct ring_header *header, MPI_Comm ranks, int last) {
    double found[2] = {0, 0};
    if (!last) aligned = !one_clock(header, ranks);
    if (!aligned) return;
    for (int other = 1; other < (int)header->ranks; other++)
        if (header->rank == 0 || (int)header->rank == other) echo(header, ranks, other, found);
    if (header->rank == 0) return;
    if (!last)
        header->offset_s = found[0];
    else
        header->ns1 += (int64_t)(1e9 * (found[0] - header->offset_s));
    if (found[1] > header->offset_error_s) header->offset_error_s = found[1];
}

void mpilab_clock_begin(struct ring_header *header, MPI_Comm ranks) {
    const char *skew = getenv("MPILAB_SKEW_NS");
    mpilab_use_tsc = invariant_tsc();
    strcpy(header->clock, mpilab_use_tsc ? "tsc" : "monotonic");
    skew_ns = skew ? (int64_t)header->rank * atoll(skew) : 0;
    calibrate(header, 0);
    align(header, ranks, 0);
}

void mpilab_clock_end(struct ring_header *header, MPI_Comm ranks, int together) {
    calibrate(header, 1);
    if (together) align(header, ranks, 1);
}
