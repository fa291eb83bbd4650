/* Requests: the operations of this rank from post to completion.
 *
 * Theory of operation.  Every request that a call makes gets an entry, found by its handle.  Handles come back, so a table of
 * the last ones that ended tells a copy of an old handle from one that never was.  waits.c has the calls that complete. */
#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
#define ENDED 4096

struct node {
    struct operation op;
    struct node *next;
};

static struct node *buckets[BUCKETS];
static struct operation *homes[BUCKETS]; /* by the variable that got the handle: the last one there */
static int last_id;
static struct {
    uint64_t handle;
    enum call_id call;
    const char *at, *end;
} ended[ENDED];
static unsigned ended_count;

static uint64_t number(MPI_Request request) { return (uint64_t)(uintptr_t)request; }

static struct node **bucket(uint64_t handle) { return &buckets[(handle ^ (handle >> 12)) % BUCKETS]; }

/* The operation of a handle.  Operations that are complete at once share one: it is the oldest that no other entry of the
 * same call has claimed. */
static struct operation *find(MPI_Request request) {
    struct operation *idle = NULL;
    for (struct node *n = *bucket(number(request)); n; n = n->next) {
        if (n->op.handle != number(request) || n->op.claimed) continue;
        if (n->op.active) return &n->op;
        if (!idle) idle = &n->op;
    }
    return idle;
}

void mpilab_operation_forget(struct operation *o, const char *end) {
    mpilab_lock();
    for (struct node **n = bucket(o->handle); *n; n = &(*n)->next) {
        if (&(*n)->op != o) continue;
        struct node *gone = *n;
        struct operation **there = &homes[((uintptr_t)o->kept >> 2) % BUCKETS];
        if (*there == o) *there = NULL;
        unsigned k = ended_count++ % ENDED;
        ended[k].handle = o->handle, ended[k].call = o->call, ended[k].at = o->at, ended[k].end = end;
        *n = gone->next;
        mpilab_guard_free(&gone->op.guard);
        free(gone);
        break;
    }
    mpilab_unlock();
}

struct operation *mpilab_operation_of(MPI_Request request) {
    mpilab_lock();
    struct operation *found = request == MPI_REQUEST_NULL ? NULL : find(request);
    mpilab_unlock();
    return found;
}

int mpilab_operation_numbers(int count) { return __atomic_fetch_add(&last_id, count, __ATOMIC_RELAXED) + 1; }

/* The operation that `op` is about to make. */
struct operation *mpilab_operation_new(struct op *op) {
    struct node *n = calloc(1, sizeof *n);
    struct operation *o = &n->op;
    o->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    o->call = op->call;
    o->number = op->number;
    o->at = mpilab_place(op->place);
    o->site = op->place;
    o->persistent = mpilab_persistent(op->call);
    o->active = !o->persistent;
    o->collective = op->kind == KIND_COLLECTIVE;
    o->receives = op->kind == KIND_RECV || op->kind == KIND_MRECV;
    o->partitioned = mpilab_is(op->call, "Psend_init") || mpilab_is(op->call, "Precv_init");
    o->delay = (int)(mpilab_random() % 3);
    o->kept = op->request;
    if (o->partitioned) mpilab_parts_new(o, op);
    if (!o->partitioned && op->kind != KIND_NEW_REQUEST && op->kind != KIND_NEW_COMM) {
        mpilab_guard_new(&o->guard, op);
        if (o->active) mpilab_guard_start(&o->guard, o->id, o->site);
    }
    return o;
}

/* Was the variable that gets this handle the home of another request that lives? */
static void overwritten(struct operation *by) {
    struct operation **there = &homes[((uintptr_t)by->kept >> 2) % BUCKETS];
    if (*there && (*there)->kept == by->kept && !(*there)->overwritten) (*there)->overwritten = by->number;
    *there = by;
}

void mpilab_operation_made(struct operation *o, MPI_Request handle) {
    struct node *n = (struct node *)o, **end;
    mpilab_lock();
    overwritten(o);
    o->handle = number(handle);
    for (end = bucket(o->handle); *end; end = &(*end)->next) {}
    *end = n;
    mpilab_unlock();
}

void mpilab_operation_failed(struct operation *o) {
    mpilab_guard_end(&o->guard, 0);
    mpilab_guard_free(&o->guard);
    free(o);
}

/* A handle that belongs to no operation. */
void mpilab_request_unknown(struct op *op, MPI_Request request) {
    for (unsigned i = 0; i < ENDED && i < ended_count; i++) {
        unsigned k = (ended_count - 1 - i) % ENDED;
        if (ended[k].handle != number(request)) continue;
        mpilab_finding("request-lifecycle", op->number, ended[k].at,
                       "%s is given the handle of a request that has ended: %s made it, and it was %s",
                       mpilab_plain_names[op->call], mpilab_plain_names[ended[k].call], ended[k].end);
        return;
    }
    mpilab_finding("request-lifecycle", op->number, NULL,
                   "%s is given a request that no operation made: was the variable ever set?",
                   mpilab_plain_names[op->call]);
}

/* The operations of a call's requests, one for each: NULL for MPI_REQUEST_NULL and for what no operation made.  They stay
 * claimed: when MPI has completed one, another thread may get its handle before we have forgotten it. */
struct operation **mpilab_operations(const struct op *op) {
    int64_t count = op->requests > 0 ? op->requests : 0;
    struct operation **of = calloc((size_t)count + 1, sizeof *of);
    mpilab_lock();
    for (int64_t i = 0; i < count; i++) {
        if (op->request[i] != MPI_REQUEST_NULL) of[i] = find(op->request[i]);
        if (of[i]) of[i]->claimed = 1;
    }
    mpilab_unlock();
    return of;
}

void mpilab_unclaim(struct operation **of, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (of[i]) of[i]->claimed = 0;
    free(of);
}

char *mpilab_requests_line(struct op *op) {
    char ids[65536] = "", at[4000], *line = NULL;
    size_t length = 0;
    struct operation **of = mpilab_operations(op);
    for (int64_t i = 0; i < op->requests && length + 16 < sizeof ids; i++) {
        int none = op->request[i] == MPI_REQUEST_NULL ? 0 : -1;
        length += (size_t)sprintf(ids + length, "%s%d", i ? "," : "", of[i] ? of[i]->id : none);
    }
    mpilab_unclaim(of, op->requests);
    int written = asprintf(&line, "{\"k\":\"call\",\"n\":%ld,\"call\":\"%s\",\"at\":\"%s\",\"t\":%ld,\"reqs\":[%s]}",
                           op->number, mpilab_call_names[op->call], mpilab_json(mpilab_place(op->place), at, sizeof at),
                           mpilab_now_ns(), ids);
    return written < 0 ? NULL : line;
}

static void log_call(struct op *op) {
    char *line = mpilab_requests_line(op);
    mpilab_log("%s", line);
    free(line);
}

/* Requests that no operation made must not reach the MPI library: they are taken for MPI_REQUEST_NULL. */
void mpilab_requests_admit(struct op *op) {
    for (int64_t i = 0; i < op->requests; i++) {
        if (op->request[i] == MPI_REQUEST_NULL || mpilab_operation_of(op->request[i])) continue;
        mpilab_request_unknown(op, op->request[i]);
        op->request[i] = MPI_REQUEST_NULL;
    }
}

/* ---- the other calls that take requests --------------------------------------------------------------------------- */

int mpilab_free_request(struct op *op) {
    log_call(op);
    if (*op->request == MPI_REQUEST_NULL) {
        mpilab_finding("request-lifecycle", op->number, NULL, "MPI_Request_free is given MPI_REQUEST_NULL");
        return MPI_SUCCESS;
    }
    struct operation *o = mpilab_operation_of(*op->request);
    if (!o) {
        mpilab_request_unknown(op, *op->request);
        *op->request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    int flag = 0;
    if (o->active && !o->collective && !o->persistent) PMPI_Request_get_status(*op->request, &flag, MPI_STATUS_IGNORE);
    if (o->active && !flag && (o->receives || o->collective || o->persistent))
        mpilab_finding(
            "request-lifecycle", op->number, o->at,
            "MPI_Request_free is given the request of %s while it is active: nobody will know when it is complete",
            mpilab_plain_names[o->call]);
    mpilab_log("{\"k\":\"free\",\"n\":%ld,\"req\":%d,\"active\":%d}", op->number, o->id, o->active);
    int result = PMPI_Request_free(op->request);
    mpilab_guard_abandon(&o->guard);
    mpilab_operation_forget(o, "freed");
    return result;
}

int mpilab_cancel(struct op *op) {
    log_call(op);
    mpilab_requests_admit(op);
    if (*op->request == MPI_REQUEST_NULL) return MPI_SUCCESS;
    return PMPI_Cancel(op->request);
}

void mpilab_operation_landed(int id, const struct op *by) {
    for (int i = 0; i < BUCKETS; i++) {
        for (struct node *n = buckets[i]; n; n = n->next) {
            if (n->op.id != id) continue;
            const char *wrong = mpilab_guard_end(&n->op.guard, INT64_MAX);
            if (wrong)
                mpilab_finding("buffer-race", n->op.number, mpilab_place(by->place), "%s between %s and its completion",
                               wrong, mpilab_plain_names[n->op.call]);
            return;
        }
    }
}

void mpilab_operations_left(void) {
    for (int i = 0; i < BUCKETS; i++) {
        while (buckets[i]) {
            struct operation *o = &buckets[i]->op;
            if (o->active) {
                mpilab_log("{\"k\":\"lost\",\"req\":%d,\"n\":%ld,\"by\":%ld}", o->id, o->number, o->overwritten);
            } else if (o->persistent) {
                mpilab_finding("resource-leak", o->number, NULL, "the persistent request of %s is never freed",
                               mpilab_plain_names[o->call]);
            }
            mpilab_guard_abandon(&o->guard);
            mpilab_operation_forget(o, "left open");
        }
    }
}
