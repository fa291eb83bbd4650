/* Record mode: every MPI call as one event in a ring of this rank.
 *
 * Theory of operation.  The ring is a file, mapped shared, so that what was recorded survives the program however it ends.
 * It keeps the newest events: event i goes to place i mod capacity, and `written` counts all.  An event is one cache line.
 * clock.c tells the time, sidefile.c what the numbers in events mean; docs/trace-format.md describes the files. */
#define _GNU_SOURCE
#include "ring.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REGIONS 4096
#define DEPTH 64

static struct ring_header *header;
static struct event *events;
static uint64_t capacity, written;
static int shared_ring;         /* several threads write: count atomically */
static MPI_Comm ranks_of_trace; /* those that are recorded */
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

/* ---- regions --------------------------------------------------------------------------------------- */

static uint32_t region_number(const char *name) {
    for (int i = 0; i < region_count; i++)
        if (!strncmp(names[i], name, sizeof *names - 1)) return (uint32_t)i + 1;
    if (region_count == REGIONS) return 0;
    strncpy(names[region_count], name, sizeof *names - 1);
    mpilab_side_region(region_count + 1, names[region_count]);
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

/* A forked child shares the ring, but is no rank. */
static void forget_in_child(void) {
    header = NULL;
    events = NULL;
    mpilab_side_forget();
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
    mpilab_clock_begin(header, ranks_of_trace);
    written = 0;
    events = (struct event *)(start + HEADER);
    mpilab_side_open(folder, rank);
    for (int i = 0; i < region_count; i++) mpilab_side_region(i + 1, names[i]); /* of an earlier ring */
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
    mpilab_clock_end(header, ranks_of_trace, together);
    mpilab_side_close();
    header->finished = 1;
}

/* Unmaps the ring; another can be opened. */
void mpilab_record_close(void) {
    mpilab_record_end(0);
    if (header) munmap(header, HEADER + capacity * sizeof(struct event));
    header = NULL;
    events = NULL;
}
