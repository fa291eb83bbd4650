/* One-sided communication in strict mode: accesses only inside an epoch, buffers untouched until it ends.
 *
 * Theory of operation.  Every rank keeps for each window which access epoch it is in: that of a fence, which has begun only
 * when an access follows, that of MPI_Win_start, or that of locks; and whether it has posted.  A call that doesn't fit is a
 * finding.  The buffers of an access are in flight (guard.c) until a call completes it at the origin.  Which accesses
 * of different ranks conflict is found from the logs (diagnosis/onesided.py). */
#define _GNU_SOURCE
#include "rma.h"
#include "flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENDING 10000 /* accesses of a window whose buffers are looked after */

static __thread int breaches; /* found in this call: what MPI would do then is anybody's guess */

#define WRONG(op, also, ...) (breaches++, mpilab_finding("rma-epoch", (op)->number, also, __VA_ARGS__))

static const char *name_of(const struct op *op) { return mpilab_plain_names[op->call]; }

static int is(const struct op *op, const char *name) { return mpilab_is(op->call, name); }

static int no_rank(const struct window *w, int rank) { return rank < 0 || rank >= w->size; }

static void begin(struct window *w, enum epoch epoch, const char *at) {
    w->epoch = epoch;
    w->opened = at;
    w->accesses = 0;
}

/* ---- calls that open and close epochs ---------------------------------------------------------------------------- */

static int first_held(const struct window *w) {
    int rank = 0;
    while (rank < w->size && !w->held[rank]) rank++;
    return rank;
}

/* `op` begins an access epoch: no other may be open. */
static void must_be_closed(const struct op *op, const struct window *w) {
    if (w->epoch == EPOCH_FENCE && w->accesses)
        WRONG(
            op, w->opened,
            "%s is called in the epoch of MPI_Win_fence: accesses have been made since then, and no other fence has completed them",
            name_of(op));
    else if (w->epoch == EPOCH_START)
        WRONG(op, w->opened, "%s is called in the epoch of MPI_Win_start, which MPI_Win_complete has not closed",
              name_of(op));
    else if (w->epoch == EPOCH_LOCK_ALL)
        WRONG(op, w->opened, "%s is called while all ranks are locked", name_of(op));
    else if (w->epoch == EPOCH_LOCK && !is(op, "Win_lock"))
        WRONG(op, w->opened, "%s is called while rank %d is locked", name_of(op), first_held(w));
}

static void fence(const struct op *op, const struct window *w) {
    if (w->epoch != EPOCH_FENCE)
        must_be_closed(op, w);
    else if (w->accesses && (op->argument & MPI_MODE_NOPRECEDE))
        WRONG(op, w->opened,
              "MPI_Win_fence is called with MPI_MODE_NOPRECEDE, but accesses have been made since the last fence");
    if (w->posted)
        WRONG(op, w->posted, "MPI_Win_fence is called in the epoch of MPI_Win_post, which MPI_Win_wait has not closed");
}

static void lock(const struct op *op, const struct window *w) {
    must_be_closed(op, w);
    if (!no_rank(w, op->dest) && w->held[op->dest])
        WRONG(op, w->opened, "MPI_Win_lock is called for rank %d, which is locked already", op->dest);
}

/* Calls that are for locked ranks only. */
static void must_be_locked(const struct op *op, const struct window *w, int all) {
    if (w->epoch == EPOCH_LOCK_ALL && !is(op, "Win_unlock")) return;
    if (w->epoch == EPOCH_LOCK && (all || no_rank(w, op->dest) || w->held[op->dest]) && !is(op, "Win_unlock_all"))
        return;
    if (op->dest == MPI_PROC_NULL) return;
    if (w->epoch == EPOCH_LOCK && !all)
        WRONG(op, w->opened, "%s is called for rank %d, which is not locked: rank %d is", name_of(op), op->dest,
              first_held(w));
    else if (w->epoch == EPOCH_LOCK || w->epoch == EPOCH_LOCK_ALL)
        WRONG(op, w->opened, "%s is called in the epoch of %s", name_of(op),
              w->epoch == EPOCH_LOCK ? "MPI_Win_lock" : "MPI_Win_lock_all");
    else
        WRONG(op, NULL, "%s is called without a lock", name_of(op));
}

static const char *const closers[] = {
    [EPOCH_FENCE] = "the accesses since the last MPI_Win_fence are not completed by another",
    [EPOCH_START] = "MPI_Win_complete has not closed the epoch of MPI_Win_start",
    [EPOCH_LOCK] = "a lock has not been given back by MPI_Win_unlock",
    [EPOCH_LOCK_ALL] = "MPI_Win_unlock_all has not closed the epoch of MPI_Win_lock_all",
};

static void must_be_over(const struct op *op, const struct window *w) {
    if (w->epoch > EPOCH_FENCE || (w->epoch == EPOCH_FENCE && w->accesses))
        WRONG(op, w->opened, "%s is called while an epoch is open: %s", name_of(op), closers[w->epoch]);
    if (w->posted)
        WRONG(op, w->posted, "%s is called while an epoch is open: MPI_Win_wait has not closed that of MPI_Win_post",
              name_of(op));
}

static void epoch_call(const struct op *op, const struct window *w) {
    if (is(op, "Win_fence"))
        fence(op, w);
    else if (is(op, "Win_start") || is(op, "Win_lock_all"))
        must_be_closed(op, w);
    else if (is(op, "Win_lock"))
        lock(op, w);
    else if (is(op, "Win_complete")) {
        if (w->epoch != EPOCH_START) WRONG(op, NULL, "MPI_Win_complete is called without MPI_Win_start");
    } else if (is(op, "Win_post")) {
        if (w->posted) WRONG(op, w->posted, "MPI_Win_post is called twice without MPI_Win_wait between them");
    } else if (is(op, "Win_wait") || is(op, "Win_test")) {
        if (!w->posted) WRONG(op, NULL, "%s is called without MPI_Win_post", name_of(op));
    } else if (is(op, "Win_unlock") || is(op, "Win_flush") || is(op, "Win_flush_local"))
        must_be_locked(op, w, 0);
    else if (is(op, "Win_unlock_all") || is(op, "Win_flush_all") || is(op, "Win_flush_local_all"))
        must_be_locked(op, w, 1);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static int in_epoch(const struct op *op, const struct window *w) {
    int target = op->dest;
    const char *name = name_of(op);
    if ((w->epoch == EPOCH_START && !w->started[target]) || (w->epoch == EPOCH_LOCK && !w->held[target])) {
        WRONG(op, w->opened, "%s accesses rank %d, which %s", name, target,
              w->epoch == EPOCH_START ? "is not in the group of MPI_Win_start" : "is not locked: another rank is");
        return 0;
    }
    if (w->epoch == EPOCH_NONE) {
        WRONG(op, w->opened, "%s is called outside of any epoch%s", name,
              w->opened ? ": the last one has been closed" : ": no fence, start or lock comes before it");
        return 0;
    }
    if (op->makes && w->epoch != EPOCH_LOCK && w->epoch != EPOCH_LOCK_ALL)
        WRONG(op, w->opened, "%s is called in an epoch of %s: accesses with a request need a lock", name,
              w->epoch == EPOCH_FENCE ? "MPI_Win_fence" : "MPI_Win_start");
    return 1;
}

static int in_window(const struct op *op, const struct window *w) {
    struct runs runs = mpilab_target_runs(op, w);
    if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC || !runs.whole) return 1;
    int64_t size = w->bytes[op->dest];
    for (int i = 0; i < runs.count; i++) {
        int64_t first = runs.list[i].first,
                end = first + runs.list[i].stride * (runs.list[i].count - 1) + runs.list[i].bytes;
        if (first >= 0 && end <= size) continue;
        mpilab_finding("invalid-argument", op->number, NULL,
                       "%s accesses bytes %lld to %lld of rank %d's window, which has %lld", name_of(op),
                       (long long)first, (long long)end - 1, op->dest, (long long)size);
        return 0;
    }
    return 1;
}

static void types_fit(const struct op *op) {
    const struct part *own = op->recv.buf ? &op->recv : &op->send;
    if (op->op == MPI_NO_OP && !op->recv.buf) return;
    int fetches = is(op, "Get") || is(op, "Rget");
    struct signature here = mpilab_signature(own->count, own->type),
                     there = mpilab_signature(op->target.count, op->target.type);
    struct signature *sent = fetches ? &there : &here, *room = fetches ? &here : &there;
    if (!sent->elements || !strcmp(sent->basic, "MPI_PACKED") || !strcmp(room->basic, "MPI_PACKED")) return;
    if (room->elements && strcmp(sent->basic, room->basic) && strcmp(sent->basic, "-") && strcmp(room->basic, "-"))
        mpilab_finding("count-or-type-mismatch", op->number, NULL,
                       "%s describes the data as %s here and as %s at the target", name_of(op), here.basic,
                       there.basic);
    else if (sent->bytes > room->bytes)
        mpilab_finding("truncation", op->number, NULL,
                       "%s describes %lld bytes where the data come from and %lld where they go", name_of(op),
                       (long long)sent->bytes, (long long)room->bytes);
}

/* The buffers of an access are in flight. */
static void keep(struct op *op, struct window *w) {
    const struct operation *made = op->operation;
    if (w->pending_count >= PENDING) return;
    struct pending *p = calloc(1, sizeof *p);
    *p = (struct pending){.target = op->dest, .call = op->call, .number = op->number, .request = made ? made->id : 0};
    if (!made) {
        if (!w->flights[op->dest]) w->flights[op->dest] = mpilab_flight_number();
        mpilab_guard_new(&p->guard, op);
        mpilab_guard_start(&p->guard, w->flights[op->dest], op->place);
        p->guard.shared = 1;
    }
    p->next = w->pending;
    w->pending = p;
    w->pending_count++;
}

/* What this rank accesses at `target` (-1: anywhere) is complete here: buffers are the program's again. */
static void land(const struct op *op, struct window *w, int target) {
    for (int rank = 0; rank < w->size; rank++) {
        if ((target >= 0 && rank != target) || !w->flights[rank]) continue;
        mpilab_flight_remove(w->flights[rank]);
        w->flights[rank] = 0;
    }
    for (struct pending **at = &w->pending; *at;) {
        struct pending *p = *at;
        if (target >= 0 && p->target != target) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        w->pending_count--;
        if (p->request) mpilab_operation_landed(p->request, op);
        const char *wrong = mpilab_guard_end(&p->guard, INT64_MAX);
        if (wrong)
            mpilab_finding("buffer-race", p->number, mpilab_place(op->place), "%s between %s and its completion in %s",
                           wrong, mpilab_plain_names[p->call], name_of(op));
        mpilab_guard_free(&p->guard);
        free(p);
    }
}

/* ---- what strict.c calls ----------------------------------------------------------------------------------------- */

static int before(struct op *op, struct window *w) {
    if (op->kind == KIND_FREE_WIN) must_be_over(op, w);
    if (op->kind == KIND_EPOCH) epoch_call(op, w);
    if (op->kind != KIND_ACCESS || no_rank(w, op->dest)) return 1;
    types_fit(op);
    int inside = in_epoch(op, w), fits = in_window(op, w);
    if (inside && fits) keep(op, w);
    w->accesses++;
    return fits || op->makes;
}

/* Before a call; 0: it is not to be made, -1: nor any other. */
int mpilab_rma(struct op *op) {
    mpilab_lock();
    breaches = 0;
    struct window *w = mpilab_window(op->win);
    int made = !w || before(op, w);
    mpilab_unlock();
    return breaches ? -1 : made;
}

static void fenced(const struct op *op, struct window *w) {
    if (!(op->argument & MPI_MODE_NOPRECEDE)) land(op, w, -1);
    begin(w, op->argument & MPI_MODE_NOSUCCEED ? EPOCH_NONE : EPOCH_FENCE, mpilab_place(op->place));
}

static void locked(const struct op *op, struct window *w, int how) {
    const char *at = mpilab_place(op->place);
    if (how > 0) {
        if (!w->locks++) begin(w, EPOCH_LOCK, at);
    } else {
        land(op, w, op->dest);
        if (w->held[op->dest] && !--w->locks) begin(w, EPOCH_NONE, at);
    }
    w->held[op->dest] = how > 0;
}

static void started(const struct op *op, struct window *w) {
    MPI_Group all;
    int count, rank;
    begin(w, EPOCH_START, mpilab_place(op->place));
    memset(w->started, 0, (size_t)w->size);
    PMPI_Win_get_group(w->win, &all);
    PMPI_Group_size(op->group, &count);
    for (int i = 0; i < count; i++) {
        PMPI_Group_translate_ranks(op->group, 1, &i, all, &rank);
        if (!no_rank(w, rank)) w->started[rank] = 1;
    }
    PMPI_Group_free(&all);
}

static void after(struct op *op, struct window *w) {
    if (op->kind == KIND_FREE_WIN || is(op, "Win_flush_all") || is(op, "Win_flush_local_all")) land(op, w, -1);
    if (op->kind == KIND_FREE_WIN)
        mpilab_window_forget(w);
    else if (is(op, "Win_fence"))
        fenced(op, w);
    else if (is(op, "Win_start"))
        started(op, w);
    else if (is(op, "Win_lock_all"))
        begin(w, EPOCH_LOCK_ALL, mpilab_place(op->place));
    else if (is(op, "Win_post"))
        w->posted = mpilab_place(op->place);
    else if (is(op, "Win_wait") || (is(op, "Win_test") && *op->flag)) {
        w->posted = NULL;
        if (op->flag) mpilab_log("{\"k\":\"done\",\"n\":%ld,\"req\":0}", op->number);
    } else if (is(op, "Win_complete") || is(op, "Win_unlock_all")) {
        land(op, w, -1);
        begin(w, EPOCH_NONE, mpilab_place(op->place));
    } else if (!no_rank(w, op->dest)) {
        if (is(op, "Win_lock") || is(op, "Win_unlock"))
            locked(op, w, is(op, "Win_lock"));
        else if (is(op, "Win_flush") || is(op, "Win_flush_local"))
            land(op, w, op->dest);
    }
}

/* After a call that did what it should. */
void mpilab_rma_after(struct op *op) {
    if (op->kind == KIND_ACCESS) return;
    mpilab_lock();
    struct window *w = mpilab_window(op->win);
    if (w) after(op, w);
    mpilab_unlock();
}

/* MPI_Finalize. */
void mpilab_rma_left(const struct op *op) {
    for (struct window *w = mpilab_windows(); w; w = w->next) must_be_over(op, w);
}
