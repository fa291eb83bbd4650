/* Which line of a Python program touches a buffer in flight.
 *
 * Theory of operation.  C code is compiled to tell of its loads and stores (race.c); Python code is looked at between its
 * lines.  While anything that Python posted is in flight, a trace function sums up what is in flight before each line and
 * after each function: where the sum has changed, the line that has just run wrote it, through whatever object.  What is
 * being received holds a poison of its operation's own (guard.c), a NaN whose bits survive arithmetic: where it turns up in
 * another object, the line that has just run has read it (pyguard.py looks).  Marking arrays as read-only would see less:
 * NumPy's flag is that of one view and not of the memory, a halo's row shares its array with rows that may be written, and
 * it would change what the program does.
 *
 * A thread is traced from its first call that posts something; what another one writes shows at a line of this one.
 *
 * Looking takes time.  When it has taken a few seconds, and a third of all, only a sample of what is in flight is looked at
 * until it is less again; when it has taken half, nothing. */
#define _GNU_SOURCE
#include "flight.h"
#include "strict.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SAMPLE 512 /* words of a large buffer */
#define PAGES 4096 /* asked about at a time */
#define NAME 200   /* characters of it that are shown */

enum what { WHAT_CALL, WHAT_EXCEPTION, WHAT_LINE, WHAT_RETURN }; /* as Python numbers them */

struct watch {
    const struct guard *guard;
    const char *site;
    const struct blocks *side[2]; /* what is sent; what is received, when MPI itself leaves it alone until completion */
    uint64_t sample[2], whole[2];
    struct watch *next;
};

static struct watch *watches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int tracing, last_line; /* of the frame that runs */
long mpilab_free_ns = 2000000000L;      /* looking may take so long whatever the rest takes */
static long began_ns, spent_ns;
static int skipped;  /* the last look was at samples only */
static int poisoned; /* the operation whose poison was found last */
static void *seen;   /* pyguard.seen */

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static size_t words(const struct blocks *b) {
    size_t total = 0;
    for (size_t i = 0; i < b->count; i++) total += b->list[i].bytes / 8 + 1;
    return total;
}

/* Of one word in `step`. */
static uint64_t sum(const struct blocks *b, size_t step) {
    uint64_t total = 14695981039346656037ull;
    size_t at = 0;
    for (size_t i = 0; i < b->count; i++) {
        size_t bytes = b->list[i].bytes;
        for (; at < bytes; at += 8 * step) {
            uint64_t word = 0;
            memcpy(&word, b->list[i].base + at, bytes - at < 8 ? bytes - at : 8);
            total = (total ^ word) * 1099511628211ull;
            total ^= total >> 29;
        }
        at = step == 1 ? 0 : at - bytes;
    }
    return total;
}

static size_t step(const struct blocks *b) { return words(b) / SAMPLE + 1; }

/* Is the memory still there?  mpi4py keeps no buffer of a collective, nor that of a request whose handle was lost. */
int mpilab_there(const struct blocks *b) {
    unsigned char vector[PAGES];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t low = 1, high = 0; /* what is known to be there */
    for (size_t i = 0; i < b->count; i++) {
        uintptr_t from = (uintptr_t)b->list[i].base & ~(page - 1), to = (uintptr_t)b->list[i].base + b->list[i].bytes;
        if (from >= low && to <= high) continue;
        low = from;
        for (; from < to; from += PAGES * page) {
            size_t length = to - from < PAGES * page ? to - from : PAGES * page;
            if (mincore((void *)from, length, vector)) return 0;
        }
        high = (to + page - 1) & ~(page - 1);
    }
    return 1;
}

static void take(struct watch *w) {
    for (int side = 0; side < 2; side++) {
        if (!w->side[side]) continue;
        w->sample[side] = sum(w->side[side], step(w->side[side]));
        w->whole[side] = sum(w->side[side], 1);
    }
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void report(const struct watch *w, void *frame, int line, const char *text) {
    char at[4000], also[4000], quoted[1000], request[40] = "";
    mpilab_json(mpilab_python_line(frame, line), at, sizeof at);
    mpilab_json(w->site, also, sizeof also);
    mpilab_json(text, quoted, sizeof quoted);
    if (!w->guard->shared) snprintf(request, sizeof request, ",\"req\":%d", w->guard->flight);
    mpilab_log("{\"k\":\"finding\",\"kind\":\"buffer-race\",\"n\":0%s,\"at\":\"%s\",\"also\":\"%s\",\"text\":\"%s%s\"}",
               request, at, also, quoted, skipped ? " (in this line or one shortly before)" : "");
    mpilab_guard_say(w->guard->flight);
}

/* What has happened to what `w` has in flight; NULL: nothing. */
static const char *happened(const struct watch *w, int whole) {
    for (int side = 0; side < 2; side++) {
        const struct blocks *b = w->side[side];
        if (!b || !b->count) continue;
        if (!mpilab_there(b))
            return side ? "the program frees a buffer that MPI is still receiving into"
                        : "the program frees a buffer that MPI is still sending from";
        if (whole ? sum(b, 1) != w->whole[side] : sum(b, step(b)) != w->sample[side])
            return side ? "the program writes a buffer that MPI is still receiving into"
                        : "the program writes a buffer that MPI is still sending from";
    }
    return NULL;
}

static void look_for_writes(void *frame, int line, int whole) {
    int told = 0;
    pthread_mutex_lock(&lock);
    for (struct watch *w = watches; w; w = w->next) {
        const char *text = mpilab_guard_said(w->guard->flight) ? NULL : happened(w, whole);
        if (!text) continue;
        if (told++)
            mpilab_guard_say(w->guard->flight); /* one write, however many operations share the buffer */
        else
            report(w, frame, line, text);
    }
    pthread_mutex_unlock(&lock);
}

static int receiving(void) {
    int count = 0;
    pthread_mutex_lock(&lock);
    for (struct watch *w = watches; w; w = w->next)
        count += w->side[1] && w->side[1]->count && !mpilab_guard_said(w->guard->flight);
    pthread_mutex_unlock(&lock);
    return count;
}

static void look_for_reads(const struct python *python, void *frame, int line) {
    char text[NAME + 200];
    void *name = python->call(seen, frame, NULL);
    if (!name) python->clear();
    const char *shown = name && name != python->none ? python->utf8(name) : NULL;
    if (shown && !mpilab_python_own(frame)) shown = "a function that it calls";
    if (shown) {
        snprintf(text, sizeof text,
                 "the program reads a buffer that MPI is still receiving into: what was in it is now in %.*s", NAME,
                 shown);
        pthread_mutex_lock(&lock);
        for (struct watch *w = watches; w; w = w->next)
            if (w->guard->flight == poisoned && !mpilab_guard_said(poisoned)) report(w, frame, line, text);
        pthread_mutex_unlock(&lock);
    }
    if (name) python->forget(name);
}

/* Line `line` of `frame` has just run. */
static void look(const struct python *python, void *frame, int line) {
    long start = mpilab_now_ns(), passed = start - began_ns;
    int whole = spent_ns < mpilab_free_ns || spent_ns < passed / 3;
    if (whole || spent_ns < 2 * mpilab_free_ns || spent_ns < passed / 2) look_for_writes(frame, line, whole);
    if (whole && seen && receiving()) look_for_reads(python, frame, line);
    skipped = !whole;
    spent_ns += mpilab_now_ns() - start;
}

/* Python calls this before each line and at the beginning and end of each function. */
static int trace(void *object, void *frame, int what, void *argument) {
    const struct python *python = mpilab_python();
    (void)object, (void)argument;
    if (!python || !watches || mpilab_page->mode != MODE_STRICT) {
        tracing = 0;
        if (python) python->set_trace(NULL, NULL);
        return 0;
    }
    int inside = mpilab_standing && mpilab_standing->in_call; /* of an MPI call: a user's reduction */
    void *caller = what == WHAT_CALL || what == WHAT_RETURN ? python->back(frame) : NULL;
    if (!inside && what == WHAT_CALL && caller) look(python, caller, python->line(caller));
    if (!inside && what == WHAT_LINE) look(python, frame, last_line);
    if (!inside && (what == WHAT_RETURN || what == WHAT_EXCEPTION)) look(python, frame, python->line(frame));
    if (what == WHAT_LINE || what == WHAT_CALL) last_line = python->line(frame);
    if (what == WHAT_RETURN && caller) last_line = python->line(caller);
    if (caller) python->forget(caller);
    return 0;
}

/* Traces this thread from now on, unless a debugger does. */
static void begin_tracing(void) {
    const struct python *python = mpilab_python();
    if (!python || tracing) return;
    int state = python->ensure();
    void *ask = python->system("gettrace"), *other = ask ? python->call(ask, NULL) : NULL;
    static int imported;
    if (!imported++) {
        void *module = python->import("mpilab.diagnosis.pyguard");
        seen = module ? python->attribute(module, "seen") : NULL;
        if (!seen) python->clear(); /* another Python than mpilab's: reads are not seen */
    }
    if (other == python->none) {
        void *frame = python->frame();
        last_line = frame ? python->line(frame) : 0;
        if (!began_ns) began_ns = mpilab_now_ns();
        tracing = 1;
        python->set_trace(trace, NULL);
    }
    if (other) python->forget(other);
    python->release(state);
}

/* ---- what is in flight ------------------------------------------------------------------------------------------- */

void mpilab_watch(const struct guard *g, const void *site) {
    if (mpilab_place(site) != site || (!g->sent.count && !g->received.count)) return; /* not posted by Python */
    struct watch *w = calloc(1, sizeof *w);
    *w = (struct watch){.guard = g, .site = site, .side = {&g->sent, g->shadow ? &g->received : NULL}};
    take(w);
    pthread_mutex_lock(&lock);
    w->next = watches;
    watches = w;
    pthread_mutex_unlock(&lock);
    begin_tracing();
}

void mpilab_unwatch(const struct guard *g) {
    if (!g) began_ns = spent_ns = 0;
    pthread_mutex_lock(&lock);
    for (struct watch **at = &watches; *at;) {
        struct watch *w = *at;
        if (g && w->guard != g) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        free(w);
    }
    pthread_mutex_unlock(&lock);
}

static int near(const struct blocks *a, const struct blocks *b) {
    char *low[2], *high[2];
    const struct blocks *both[] = {a, b};
    for (int k = 0; k < 2; k++) {
        low[k] = high[k] = NULL;
        for (size_t i = 0; i < both[k]->count; i++) {
            const struct block *one = &both[k]->list[i];
            if (!low[k] || one->base < low[k]) low[k] = one->base;
            if (one->base + one->bytes > high[k]) high[k] = one->base + one->bytes;
        }
    }
    return low[0] < high[1] && low[1] < high[0];
}

void mpilab_watch_again(const struct blocks *b) {
    pthread_mutex_lock(&lock);
    for (struct watch *w = watches; w; w = w->next)
        if ((w->side[0] && near(w->side[0], b)) || (w->side[1] && near(w->side[1], b))) take(w);
    pthread_mutex_unlock(&lock);
}

/* ---- for pyguard.py ---------------------------------------------------------------------------------------------- */

/* The poison that a number holds, also when it has been calculated with: 0 for none.  `hi`, `lo`: halves of its bits. */
static uint32_t poison_in(uint32_t hi, uint32_t lo, int wide) {
    uint32_t bits = hi | 0x80000000u; /* whatever its sign */
    if ((bits & 0xffff0000u) == POISON && (!wide || lo == bits)) return bits;
    /* a float that became a double */
    if (wide && (bits & 0xffffe000u) == 0xffff6000u && !(lo & 0x1fffffffu))
        return POISON | (bits & 0x1fffu) << 3 | lo >> 29;
    return 0;
}

/* Do the numbers of `width` (4 or 8) bytes at `address` hold what a buffer in flight is poisoned with, elsewhere than in
 * flight? */
int mpilab_poisoned(const void *address, size_t bytes, int width) {
    for (size_t at = 0; at + (size_t)width <= bytes; at += (size_t)width) {
        uint32_t half[2] = {0, 0};
        memcpy(half, (const char *)address + at, (size_t)width);
        uint32_t found = poison_in(half[width == 8], half[0], width == 8);
        struct flight_area area;
        if (!found || mpilab_flight_find((const char *)address + at, (size_t)width, 0, &area)) continue;
        pthread_mutex_lock(&lock);
        struct watch *w = watches;
        while (w && (!w->side[1] || w->guard->poison != found || mpilab_guard_said(w->guard->flight))) w = w->next;
        if (w) poisoned = w->guard->flight;
        pthread_mutex_unlock(&lock);
        if (w) return 1;
    }
    return 0;
}
