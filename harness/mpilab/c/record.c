/* Record mode: every MPI call as one event in a ring of this rank.
 *
 * Theory of operation.  The ring is a file, mapped shared, so that what was recorded survives the program however it ends.
 * It keeps the newest events: event i goes to place i mod capacity, and `written` counts all.  An event is one cache line.
 * Time is the processor's time-stamp counter where it runs at one rate in all states, for reading it costs half of what
 * clock_gettime does; it is read beside CLOCK_MONOTONIC at the beginning and the end, which calibrates it.  Ranks of other
 * nodes have other clocks: rank 0 measures theirs by echoes, and the shortest one bounds the error.
 * docs/trace-format.md describes the files. */
#define _GNU_SOURCE
#include "strict.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define HEADER 4096
#define REGIONS 4096
#define DEPTH 64
#define ECHOES 50

struct event {
    uint64_t start, end, request, bytes, place;
    int32_t call, peer, tag, comm;
    uint32_t thread, region;
};
_Static_assert(sizeof(struct event) == 64, "an event is one cache line");

struct ring_header {
    char magic[8];
    uint32_t version, event_bytes, rank, ranks;
    uint64_t capacity, written;
    double ticks_per_s;
    uint64_t tick0;
    int64_t ns0;
    uint64_t tick1;
    int64_t ns1;
    double offset_s, offset_error_s, clock_error_s;
    uint32_t groups, finished;
    char host[64];
    char clock[16];
};
_Static_assert(sizeof(struct ring_header) <= HEADER, "the header has its own page");

int mpilab_use_tsc;
static struct ring_header *header;
static struct event *events;
static uint64_t capacity, written;
static int shared_ring;         /* several threads write: count atomically */
static MPI_Comm ranks_of_trace; /* those that are recorded */
static int aligned;             /* their clocks differ */
static FILE *meta;
static char names[REGIONS][64];
static int region_count;
static __thread struct {
    uint64_t start;
    uint32_t region;
} open_regions[DEPTH];
static __thread int depth;
static __thread struct {
    uint64_t start, end;
} last_call; /* of this thread: what its sub-events belong to */

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

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

static void calibrate(int last) {
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

static double seconds(void) {
    return (double)(ticks() - header->tick0) / header->ticks_per_s + 1e-9 * (double)header->ns0;
}

/* Are all ranks on one node, with one clock?  Collective. */
static int one_clock(void) {
    int size;
    MPI_Comm node;
    if (getenv("MPILAB_ALIGN")) return 0;
    PMPI_Comm_split_type(ranks_of_trace, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &size);
    PMPI_Comm_free(&node);
    int alone = size == (int)header->ranks;
    PMPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MIN, ranks_of_trace);
    return alone;
}

/* What rank 0 adds to the clock of `other` to get its own, and by how much that may be wrong: the shortest of many echoes
 * bounds it.  Called on both, each gets the answer. */
static void echo(int other, double found[2]) {
    int here = (int)header->rank;
    double shortest = 1e9;
    for (int i = 0; i < ECHOES; i++) {
        double theirs, before = seconds();
        if (here) {
            PMPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, ranks_of_trace, MPI_STATUS_IGNORE);
            theirs = seconds();
            PMPI_Send(&theirs, 1, MPI_DOUBLE, 0, 0, ranks_of_trace);
            continue;
        }
        PMPI_Send(&before, 1, MPI_DOUBLE, other, 0, ranks_of_trace);
        PMPI_Recv(&theirs, 1, MPI_DOUBLE, other, 0, ranks_of_trace, MPI_STATUS_IGNORE);
        double after = seconds();
        if (after - before >= shortest) continue;
        shortest = after - before;
        found[0] = 0.5 * (before + after) - theirs;
        found[1] = 0.5 * shortest;
    }
    if (here)
        PMPI_Recv(found, 2, MPI_DOUBLE, 0, 0, ranks_of_trace, MPI_STATUS_IGNORE);
    else
        PMPI_Send(found, 2, MPI_DOUBLE, other, 0, ranks_of_trace);
}

/* By how much this rank's clock differs from rank 0's.  Collective; at the end again, for clocks drift: the rate is then
 * what makes both measurements true. */
static void align(int last) {
    double found[2] = {0, 0};
    if (!last) aligned = !one_clock();
    if (!aligned) return;
    for (int other = 1; other < (int)header->ranks; other++)
        if (header->rank == 0 || (int)header->rank == other) echo(other, found);
    if (header->rank == 0) return;
    if (!last)
        header->offset_s = found[0];
    else
        header->ns1 += (int64_t)(1e9 * (found[0] - header->offset_s));
    if (found[1] > header->offset_error_s) header->offset_error_s = found[1];
}

/* ---- the ring ---------------------------------------------------------------------------------------------------- */

static inline struct event *next(void) {
    uint64_t i;
    if (__builtin_expect(shared_ring, 0))
        i = __atomic_fetch_add(&header->written, 1, __ATOMIC_RELAXED);
    else
        header->written = (i = written++) + 1;
    return &events[i & (capacity - 1)];
}

static inline void fill(struct event *e, const struct standing *s, int what, uint64_t start, uint64_t end) {
    e->start = start;
    e->end = end;
    e->bytes = s->bytes < 0 ? 0 : (uint64_t)s->bytes;
    e->place = s->place;
    e->call = what;
    e->peer = s->peer;
    e->tag = s->tag;
    e->comm = s->comm >= 0 ? mpilab_page->comms[s->comm].id : 0;
    e->thread = (uint32_t)mpilab_thread;
    e->region = depth ? open_regions[depth - 1].region : 0;
}

void mpilab_event(struct standing *s, enum call_id id, uint64_t start, uint64_t request) {
    uint64_t end = ticks();
    if (!events) return;
    struct event *e = next();
    last_call.start = start, last_call.end = end;
    fill(e, s, id, start, end);
    e->request = request;
}

/* The event just written was a Sendrecv, which received this. */
void mpilab_received(struct standing *s, const MPI_Status *status) {
    if (!events) return;
    struct event *e = next();
    fill(e, s, -4, last_call.start, last_call.end);
    e->request = 0;
    e->peer = status->MPI_SOURCE, e->tag = status->MPI_TAG;
    e->bytes = (uint64_t)bytes_received(status);
}

/* ... and started this persistent request.  What made that may have left the ring long ago, so it is told again. */
void mpilab_started(struct standing *s, uint64_t request) {
    if (!events) return;
    struct event *e = next();
    fill(e, s, -3, last_call.start, last_call.end);
    e->request = request;
    const struct posted *p = posted_at(request);
    if (p->request != request) return;
    e->peer = p->peer, e->tag = p->tag;
    e->bytes = p->bytes < 0 ? 0 : (uint64_t)p->bytes;
    e->comm = p->comm >= 0 ? mpilab_page->comms[p->comm].id : 0;
    e->place = (uint64_t)p->call; /* what made it */
}

/* ... and completed this one. */
void mpilab_completion(struct standing *s, uint64_t request, const MPI_Status *status) {
    if (!events) return;
    struct event *e = next();
    const struct posted *p = posted_at(request);
    fill(e, s, -2, last_call.start, last_call.end);
    e->request = request;
    if (p->request == request) e->comm = p->comm >= 0 ? mpilab_page->comms[p->comm].id : 0;
    if (!status) return;
    e->peer = status->MPI_SOURCE;
    e->tag = status->MPI_TAG;
    e->bytes = (uint64_t)bytes_received(status);
}

/* ---- how long a message is --------------------------------------------------------------------------------------- */

int64_t mpilab_type_bytes(int64_t count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_c(type, &size)) return -1;
    return count * size;
}

/* Of all pieces of a collective with an array of counts, one a rank. */
int64_t mpilab_sum_bytes(const struct standing *s, int large, const void *counts, MPI_Datatype type) {
    int64_t sum = 0;
    if (s->comm < 0 || !counts) return -1;
    for (int i = 0; i < mpilab_page->comms[s->comm].size; i++)
        sum += large ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
    return mpilab_type_bytes(sum, type);
}

/* ---- the side file, regions --------------------------------------------------------------------------------------- */

void mpilab_meta_comm(int id, int size, const int *ranks, int inter) {
    mpilab_log_comm(id, size, ranks, inter);
    if (!meta) return;
    fprintf(meta, "{\"comm\": %d, \"ranks\": [", id);
    for (int i = 0; i < size; i++) fprintf(meta, "%s%d", i ? ", " : "", ranks[i]);
    fprintf(meta, "]}\n");
    fflush(meta);
}

static void quoted(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        if ((unsigned char)*text < 32)
            fprintf(file, "\\u%04x", *text);
        else if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static int a_module(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    char own[4096] = "";
    uint64_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) bytes = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (!info->dlpi_name[0] && readlink("/proc/self/exe", own, sizeof own - 1) < 0) return 0;
    fprintf(meta, "{\"module\": ");
    quoted(meta, info->dlpi_name[0] ? info->dlpi_name : own);
    uint64_t base = info->dlpi_addr; /* 0 for an executable that is linked at an address */
    for (int i = 0; i < info->dlpi_phnum && !base; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) base = info->dlpi_phdr[i].p_vaddr, bytes -= base;
    fprintf(meta, ", \"base\": %llu, \"size\": %llu}\n", (unsigned long long)base, (unsigned long long)bytes);
    return 0;
}

static void name_region(int i) {
    if (!meta) return;
    fprintf(meta, "{\"region\": %d, \"name\": ", i + 1);
    quoted(meta, names[i]);
    fprintf(meta, "}\n");
    fflush(meta);
}

static uint32_t region_number(const char *name) {
    for (int i = 0; i < region_count; i++)
        if (!strncmp(names[i], name, sizeof *names - 1)) return (uint32_t)i + 1;
    if (region_count == REGIONS) return 0;
    strncpy(names[region_count], name, sizeof *names - 1);
    name_region(region_count);
    return (uint32_t)++region_count;
}

/* A named part of the program begins; they nest. */
void mpilab_region_begin(const char *name) {
    if (depth == DEPTH || !events) return;
    open_regions[depth].region = region_number(name);
    open_regions[depth++].start = ticks();
}

/* The innermost open part ends. */
void mpilab_region_end(void) {
    if (!depth || !events) return;
    struct standing here = {.peer = NOBODY, .comm = -1};
    uint32_t region = open_regions[depth - 1].region;
    uint64_t start = open_regions[--depth].start;
    if (!mpilab_page->recording) return;
    struct event *e = next();
    fill(e, &here, -1, start, ticks());
    e->request = region;
}

/* All open parts end, and the one named begins (NULL: none): a kernel's host says what it is doing. */
void mpilab_region_only(const char *name) {
    while (depth && events) mpilab_region_end();
    if (name) mpilab_region_begin(name);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* 0 stops recording, 1 goes on with the groups chosen, 2 begins anew: what was recorded is forgotten. */
void mpilab_pcontrol(int level) {
    if (!header) return;
    if (level == 2) header->written = written = 0;
    mpilab_page->recording = level ? (int32_t)header->groups : 0;
}

/* A ring file of `length` bytes, mapped; all of it is there, for a full disk would kill the program later.  Or NULL. */
static void *mapped(const char *path, size_t length) {
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    void *start = MAP_FAILED;
    if (fd >= 0 && !posix_fallocate(fd, 0, (off_t)length))
        start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (start == MAP_FAILED) return NULL;
    for (size_t i = 0; i < length; i += HEADER)
        ((volatile char *)start)[i] = 0; /* its first writing costs a page most */
    return start;
}

/* The side file's first lines; binaries already now, because the program may not reach its end. */
static void introduce(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = 0;
    fprintf(meta, "{\"mpi\": ");
    quoted(meta, version);
    fprintf(meta, "}\n");
    mpilab_comms_log();
    for (int i = 0; i < region_count; i++) name_region(i);
    dl_iterate_phdr(a_module, NULL);
    fflush(meta);
}

/* A forked child shares the ring, but is no rank. */
static void forget_in_child(void) {
    header = NULL;
    events = NULL;
    meta = NULL;
}

/* Opens this rank's ring of at least `least` events in `folder`; collective over `comm`, whose ranks are those of the
 * world's first.  Recording starts at once unless `off`.  Returns 0, or -1 when there is no room. */
int mpilab_record_open(MPI_Fint comm, const char *folder, uint64_t least, uint32_t groups, int off) {
    static int registered;
    char path[4096];
    int rank, ranks, level = MPI_THREAD_SINGLE;
    ranks_of_trace = PMPI_Comm_f2c(comm);
    PMPI_Comm_rank(ranks_of_trace, &rank);
    PMPI_Comm_size(ranks_of_trace, &ranks);
    PMPI_Query_thread(&level);
    shared_ring = level == MPI_THREAD_MULTIPLE;
    if (!registered++) pthread_atfork(NULL, NULL, forget_in_child);
    for (capacity = 1; capacity < least; capacity *= 2) {}
    snprintf(path, sizeof path, "%s/ring-%d", folder, rank);
    char *start = mapped(path, HEADER + capacity * sizeof(struct event));
    int there = start != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MIN, ranks_of_trace);
    if (!there) {
        if (start) munmap(start, HEADER + capacity * sizeof(struct event));
        return -1;
    }
    header = (struct ring_header *)start;
    *header = (struct ring_header){.magic = "MPILABR", .version = 1, .event_bytes = sizeof(struct event)};
    header->rank = (uint32_t)rank, header->ranks = (uint32_t)ranks, header->capacity = capacity,
    header->groups = groups;
    gethostname(header->host, sizeof header->host - 1);
    mpilab_use_tsc = invariant_tsc();
    strcpy(header->clock, mpilab_use_tsc ? "tsc" : "monotonic");
    snprintf(path, sizeof path, "%s/meta-%d.jsonl", folder, rank);
    meta = fopen(path, "we");
    skew_ns = getenv("MPILAB_SKEW_NS") ? rank * atoll(getenv("MPILAB_SKEW_NS")) : 0;
    calibrate(0);
    align(0);
    written = 0;
    events = (struct event *)(start + HEADER);
    if (meta) introduce();
    if (!off) mpilab_page->recording = (int32_t)groups; /* else somebody outside may already have written it */
    return 0;
}

/* Under plain mpiexec: folder, size and groups come from the environment. */
void mpilab_record_begin(void) {
    const char *folder = getenv("MPILAB_TRACE"), *size = getenv("MPILAB_RING"), *groups = getenv("MPILAB_GROUPS");
    if (!folder || header) return;
    uint64_t least = size ? strtoull(size, NULL, 10) : 1 << 16;
    uint32_t chosen = groups ? (uint32_t)atoi(groups) : 0xff;
    mpilab_record_open(PMPI_Comm_c2f(MPI_COMM_WORLD), folder, least, chosen, getenv("MPILAB_OFF") != NULL);
}

/* The last event has been written: calibrate, and note where binaries are mapped.  Collective when `together`. */
void mpilab_record_end(int together) {
    if (!header || header->finished) return;
    mpilab_region_only(NULL);
    mpilab_page->recording = 0;
    calibrate(1);
    if (together) align(1);
    if (meta) {
        dl_iterate_phdr(a_module, NULL);
        fclose(meta);
        meta = NULL;
    }
    header->finished = 1;
}

/* Unmaps the ring; another can be opened. */
void mpilab_record_close(void) {
    mpilab_record_end(0);
    if (header) munmap(header, HEADER + capacity * sizeof(struct event));
    header = NULL;
    events = NULL;
}
