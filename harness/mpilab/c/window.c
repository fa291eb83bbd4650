/* Windows: the memory that other ranks access, and how this rank itself touches it.
 *
 * Theory of operation.  A window gets a number that is the same on all its ranks, like a communicator (comms.c), and every
 * rank knows the size and the unit of all.  So the log can say of each access which bytes of the target it touches; what
 * conflicts is found from the logs of all ranks.  The owner's own loads and stores are part of that: while a window exists, its
 * memory is among what race.c asks about, in a sort of its own (flight.h), and what was touched is told to the log at the next
 * MPI call, one line for each place in the program.  That has a limit, since a program may do all its work there. */
#define _GNU_SOURCE
#include "flight.h"
#include "rma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCALS 128            /* places of the program that touch windows between two MPI calls */
#define LOCALS_IN_ALL 5000000 /* looks at loads and stores; then no more */
#define ORIGIN ((char *)((uintptr_t)1 << 46))

static struct window *windows;
static struct local {
    const struct window *window;
    const void *pc;
    const char *at; /* known already, or NULL: that of pc */
    int write;
    struct runs runs;
} locals[LOCALS];
static int local_count;
static long looks;

struct window *mpilab_windows(void) { return windows; }

struct window *mpilab_window(MPI_Win win) {
    for (struct window *w = windows; w; w = w->next)
        if (w->win == win) return w;
    return NULL;
}

int mpilab_flight_number(void) {
    static int last;
    return --last;
}

static int64_t attribute(MPI_Win win, int key) {
    void *value = NULL;
    int flag = 0;
    PMPI_Win_get_attr(win, key, &value, &flag);
    if (!flag) return 0;
    if (key == MPI_WIN_BASE) return (int64_t)(intptr_t)value;
    return key == MPI_WIN_SIZE ? *(MPI_Aint *)value : *(int *)value;
}

/* A window was made; collective over its ranks. */
void mpilab_window_made(MPI_Win win, MPI_Comm shadow) {
    struct window *w = calloc(1, sizeof *w);
    w->win = win;
    w->flavor = (int)attribute(win, MPI_WIN_CREATE_FLAVOR);
    w->base = (char *)(intptr_t)attribute(win, MPI_WIN_BASE);
    w->id = mpilab_comm_id((MPI_Comm)win);
    PMPI_Comm_size(shadow, &w->size);
    PMPI_Comm_rank(shadow, &w->rank);
    size_t size = (size_t)w->size;
    int64_t own[2] = {attribute(win, MPI_WIN_SIZE), attribute(win, MPI_WIN_DISP_UNIT)},
            *all = malloc(sizeof own * size);
    PMPI_Allgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, shadow);
    w->bytes = malloc(sizeof *w->bytes * size);
    w->unit = malloc(sizeof *w->unit * size);
    for (int i = 0; i < w->size; i++) w->bytes[i] = all[2 * i], w->unit[i] = all[2 * i + 1];
    free(all);
    w->started = calloc(size, 1);
    w->held = calloc(size, 1);
    w->flights = calloc(size, sizeof *w->flights);
    w->watched = mpilab_flight_number();
    struct flight_block memory = {w->base, (size_t)own[0], 0, 0};
    int private =
        w->flavor == MPI_WIN_FLAVOR_CREATE || w->flavor == MPI_WIN_FLAVOR_ALLOCATE; /* others can't reach it */
    if (private && w->base && own[0] > 0 && looks < LOCALS_IN_ALL)
        mpilab_flight_add(&memory, 1, FLIGHT_WINDOW, w->watched, NULL);
    mpilab_strict_window(win);
    mpilab_lock();
    w->next = windows;
    windows = w;
    mpilab_unlock();
}

void mpilab_window_forget(struct window *w) {
    for (struct window **p = &windows; *p; p = &(*p)->next) {
        if (*p != w) continue;
        *p = w->next;
        break;
    }
    mpilab_flight_remove(w->watched);
    local_count = 0; /* they were told when the call that frees the window began */
    free(w->bytes), free(w->unit), free(w->started), free(w->held), free(w->flights);
    free(w);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static int holds(const struct run *r, int64_t first, int64_t bytes) {
    int64_t offset = first - r->first;
    if (offset < 0) return 0;
    if (r->count > 1) {
        if (offset / r->stride >= r->count) return 0;
        offset %= r->stride;
    }
    return offset + bytes <= r->bytes;
}

static void add_bytes(struct runs *all, int64_t first, int64_t bytes) {
    for (int i = all->count; i-- > 0;)
        if (holds(&all->list[i], first, bytes)) return;
    struct run *last = all->count ? &all->list[all->count - 1] : NULL;
    if (last && last->count == 1 && last->first + last->bytes == first) {
        last->bytes += bytes;
    } else if (last && last->count == 1 && first + bytes == last->first) {
        last->first = first;
        last->bytes += bytes;
    } else if (last && last->count == 1 && last->bytes == bytes && first > last->first + bytes) {
        last->stride = first - last->first;
        last->count = 2;
    } else if (last && last->count > 1 && last->bytes == bytes && first == last->first + last->stride * last->count) {
        last->count++;
    } else if (all->count < RUNS) {
        all->list[all->count++] = (struct run){first, bytes, 0, 1};
    } else {
        all->whole = 0;
    }
}

struct runs mpilab_target_runs(const struct op *op, const struct window *w) {
    struct runs runs = {.whole = 1};
    struct blocks blocks = {.whole = 1};
    if (op->dest < 0 || op->dest >= w->size) return (struct runs){.whole = 0};
    int64_t unit = w->flavor == MPI_WIN_FLAVOR_DYNAMIC ? 1 : w->unit[op->dest];
    mpilab_blocks_add(&blocks, ORIGIN + op->displacement * unit, op->target.count, op->target.type);
    for (size_t i = 0; i < blocks.count; i++)
        add_bytes(&runs, blocks.list[i].base - ORIGIN, (int64_t)blocks.list[i].bytes);
    runs.whole = runs.whole && blocks.whole;
    mpilab_blocks_free(&blocks);
    return runs;
}

static size_t runs_text(const struct runs *runs, char *into, size_t size) {
    size_t length = (size_t)snprintf(into, size, ",\"runs\":[");
    for (int i = 0; i < runs->count && length + 100 < size; i++) {
        const struct run *r = &runs->list[i];
        length += (size_t)sprintf(into + length, "%s[%lld,%lld,%lld,%lld]", i ? "," : "", (long long)r->first,
                                  (long long)r->bytes, (long long)r->stride, (long long)r->count);
    }
    return length + (size_t)sprintf(into + length, "]");
}

/* ---- the log's lines --------------------------------------------------------------------------------------------- */

static size_t group_text(MPI_Group group, MPI_Win win, char *into, size_t size) {
    MPI_Group all;
    int count = 0;
    size_t length = (size_t)snprintf(into, size, ",\"group\":[");
    if (PMPI_Win_get_group(win, &all)) return 0;
    PMPI_Group_size(group, &count);
    for (int i = 0; i < count && length + 20 < size; i++) {
        int rank = MPI_UNDEFINED;
        PMPI_Group_translate_ranks(group, 1, &i, all, &rank);
        length += (size_t)sprintf(into + length, "%s%d", i ? "," : "", rank);
    }
    PMPI_Group_free(&all);
    return length + (size_t)sprintf(into + length, "]");
}

/* What the log says of an access or of a call that opens or closes an epoch. */
size_t mpilab_rma_text(const struct op *op, char *into, size_t size) {
    struct window *w = mpilab_window(op->win);
    size_t length = 0;
    into[0] = 0;
    if (!w) return 0;
    if (op->dest != NOBODY)
        length += (size_t)snprintf(into, size, ",\"dest\":%d", op->dest == MPI_PROC_NULL ? -2 : op->dest);
    if (mpilab_is(op->call, "Win_lock"))
        length +=
            (size_t)snprintf(into + length, size - length, ",\"lock\":%d", op->lock == MPI_LOCK_EXCLUSIVE ? 2 : 1);
    if (mpilab_is(op->call, "Win_start") || mpilab_is(op->call, "Win_post"))
        length += group_text(op->group, op->win, into + length, size - length);
    if (op->kind != KIND_ACCESS) return length;
    struct runs runs = mpilab_target_runs(op, w);
    struct signature s = mpilab_signature(op->target.count, op->target.type);
    length += (size_t)snprintf(into + length, size - length, ",\"basic\":\"%s\"", s.basic);
    if (runs.whole) length += runs_text(&runs, into + length, size - length);
    return length;
}

/* Tells what this rank itself did with the memory of its windows before call `number`. */
void mpilab_rma_tell(long number) {
    char at[4000], runs[8000];
    if (!__atomic_load_n(&local_count, __ATOMIC_RELAXED)) return;
    mpilab_lock();
    for (int i = 0; i < local_count; i++) {
        struct local *l = &locals[i];
        runs_text(&l->runs, runs, sizeof runs);
        mpilab_log("{\"k\":\"local\",\"n\":%ld,\"win\":%d,\"at\":\"%s\",\"write\":%d%s}", number, l->window->id,
                   mpilab_json(l->at ? l->at : mpilab_place(l->pc), at, sizeof at), l->write, runs);
    }
    local_count = 0;
    mpilab_unlock();
}

static void note(const struct window *w, int64_t first, int64_t bytes, int write, const void *pc, const char *at) {
    struct local *l = locals;
    while (l < locals + local_count && (l->window != w || l->pc != pc || l->write != write)) l++;
    if (l == locals + LOCALS) return;
    if (l == locals + local_count) {
        *l = (struct local){.window = w, .pc = pc, .at = at, .write = write};
        local_count++;
    }
    add_bytes(&l->runs, first, bytes);
}

/* The program's own code at `pc`, or an MPI call at `at`, touches memory of windows. */
void mpilab_rma_local(const void *address, size_t bytes, int write, const void *pc, const char *at) {
    mpilab_lock();
    if (++looks == LOCALS_IN_ALL)
        for (struct window *w = windows; w; w = w->next) mpilab_flight_remove(w->watched);
    for (struct window *w = windows; w && looks < LOCALS_IN_ALL; w = w->next) {
        int64_t first = (const char *)address - w->base, end = first + (int64_t)bytes;
        if (first < 0) first = 0;
        if (end > w->bytes[w->rank]) end = w->bytes[w->rank];
        if (first < end) note(w, first, end - first, write, at ? at : pc, at);
    }
    mpilab_unlock();
}
