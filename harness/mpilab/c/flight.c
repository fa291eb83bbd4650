/* The buffers in flight: a table of areas, sorted by address.
 *
 * Theory of operation.  Each area also holds the largest end of all areas up to it (`reach`), so that those which meet
 * [low, high) are found by one binary search and a walk downwards that ends as soon as nothing reaches that far up.
 * Few areas overlap in practice, so a look costs a dozen steps even among 10,000 areas.
 *
 * Threads: one mutex for those who change the table; those who look take no lock.  `version` is odd while the table
 * changes; who looks, looks again when it has changed meanwhile, and takes the lock in the end.  A table that has become
 * too small is left where it is, since somebody may be looking at it: each is at least twice as large as the one before,
 * so all old ones together are no larger than the new one. */
#include "flight.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 100 /* looks, then a look that waits for those who change the table */

struct table {
    size_t count, capacity;
    struct flight_area areas[];
};

struct flight_now mpilab_flight_now = {UINTPTR_MAX, 0, 0};

static struct table nothing;
static struct table *_Atomic current = &nothing;
static pthread_mutex_t change = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int changing; /* this very thread changes the table: what asks now is a signal handler */

static void begin_change(void) {
    changing = 1;
    pthread_mutex_lock(&change);
    __atomic_add_fetch(&mpilab_flight_now.version, 1, __ATOMIC_SEQ_CST);
    atomic_thread_fence(memory_order_seq_cst);
}

static void end_change(void) {
    __atomic_add_fetch(&mpilab_flight_now.version, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&change);
    changing = 0;
}

/* Makes `reach` right from area `first` on, and the bounds. */
static void measure(struct table *t, size_t first) {
    for (size_t i = first; i < t->count; i++) {
        uintptr_t before = i ? t->areas[i - 1].reach : 0;
        t->areas[i].reach = t->areas[i].high > before ? t->areas[i].high : before;
    }
    __atomic_store_n(&mpilab_flight_now.low, t->count ? t->areas[0].low : UINTPTR_MAX, __ATOMIC_RELAXED);
    __atomic_store_n(&mpilab_flight_now.high, t->count ? t->areas[t->count - 1].reach : 0, __ATOMIC_RELAXED);
}

static struct table *with_room(struct table *old, size_t more) {
    if (old->count + more <= old->capacity) return old;
    size_t capacity = 2 * (old->count + more) + 64;
    struct table *t = malloc(sizeof *t + capacity * sizeof *t->areas);
    if (!t) return NULL;
    *t = (struct table){.count = old->count, .capacity = capacity};
    memcpy(t->areas, old->areas, old->count * sizeof *t->areas);
    return t;
}

static int by_address(const void *a, const void *b) {
    const struct flight_area *p = a, *q = b;
    return (p->low > q->low) - (p->low < q->low);
}

/* Merges `count` sorted areas into the table, which has room, from the upper end down. */
static void merge(struct table *t, const struct flight_area *added, size_t count) {
    size_t old = t->count, to = old + count;
    t->count = to;
    while (count) {
        int above = old && t->areas[old - 1].low > added[count - 1].low;
        t->areas[--to] = above ? t->areas[--old] : added[--count];
    }
    measure(t, to);
}

int mpilab_flight_add(const struct flight_block *blocks, size_t count, int write, int op, const void *site) {
    struct flight_area one, *added = count > 1 ? malloc(count * sizeof *added) : &one;
    if (!added) return -1;
    size_t n = 0;
    for (const struct flight_block *b = blocks; b < blocks + count; b++) {
        if (!b->bytes || (b->stride && !b->block)) continue;
        uintptr_t low = (uintptr_t)b->base;
        added[n++] = (struct flight_area){low, low + b->bytes, b->block, b->stride, 0, site, op, write};
    }
    qsort(added, n, sizeof *added, by_address);
    begin_change();
    struct table *t = with_room(current, n);
    if (t && n) {
        merge(t, added, n);
        current = t;
    }
    end_change();
    if (added != &one) free(added);
    return t ? 0 : -1;
}

void mpilab_flight_remove(int op) {
    begin_change();
    struct table *t = current;
    size_t kept = 0, first = t->count;
    for (size_t i = 0; i < t->count; i++) {
        if (t->areas[i].op == op) {
            if (first > i) first = i;
        } else {
            if (kept < i) t->areas[kept] = t->areas[i];
            kept++;
        }
    }
    if (kept < t->count) {
        t->count = kept;
        measure(t, first);
    }
    end_change();
}

/* Does the area hold a byte of [low, high)? */
static int meets(const struct flight_area *area, uintptr_t low, uintptr_t high) {
    if (low < area->low) low = area->low;
    if (high > area->high) high = area->high;
    if (low >= high) return 0;
    size_t stride = *(const volatile size_t *)&area->stride; /* read once: another thread may just be moving the area */
    if (!stride) return 1;
    size_t offset = (low - area->low) % stride;
    return offset < area->block || offset + (high - low) > stride;
}

static int look(const struct table *t, uintptr_t low, uintptr_t high, int write, struct flight_area *found) {
    size_t from = 0, to = t->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (t->areas[middle].low < high)
            from = middle + 1;
        else
            to = middle;
    }
    int window = 0;
    for (; from > 0 && t->areas[from - 1].reach > low; from--) {
        const struct flight_area *area = &t->areas[from - 1];
        if (!(write || area->write) || (window && area->write == FLIGHT_WINDOW) || !meets(area, low, high)) continue;
        *found = *area;
        if (area->write != FLIGHT_WINDOW) return 1;
        window = 1;
    }
    return window;
}

int mpilab_flight_find(const void *base, size_t bytes, int write, struct flight_area *found) {
    uintptr_t low = (uintptr_t)base, high = low + bytes;
    if (high <= mpilab_flight_now.low || low >= mpilab_flight_now.high) return 0;
    if (changing) return 0;
    for (int i = 0; i < PATIENCE; i++) {
        unsigned before = __atomic_load_n(&mpilab_flight_now.version, __ATOMIC_SEQ_CST);
        if (before & 1) continue;
        int result = look(current, low, high, write, found);
        atomic_thread_fence(memory_order_acquire);
        if (__atomic_load_n(&mpilab_flight_now.version, __ATOMIC_SEQ_CST) == before) return result;
    }
    pthread_mutex_lock(&change);
    int result = look(current, low, high, write, found);
    pthread_mutex_unlock(&change);
    return result;
}

int mpilab_flight_find_blocks(const struct flight_block *blocks, size_t count, int write, struct flight_area *found) {
    for (const struct flight_block *b = blocks; b < blocks + count; b++) {
        if (!mpilab_flight_find(b->base, b->bytes, write, found)) continue;
        if (!b->stride) return 1;
        for (size_t i = 0; i < b->bytes; i += b->stride) {
            size_t block = b->block < b->bytes - i ? b->block : b->bytes - i;
            if (mpilab_flight_find((const char *)b->base + i, block, write, found)) return 1;
        }
    }
    return 0;
}
