/* Requests: the operations of this rank from post to completion, and the calls that wait for them.
 *
 * Theory of operation.  Every request that a call makes gets an entry, found by its handle.  Handles come back, so a table of the
 * last ones that ended tells a copy of an old handle from one that never was.  The waiting calls complete what MPI says is
 * complete, but in an order of chance, some at a time, and tests are told "not yet" once or twice: all of that the standard
 * permits. */
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

static void forget(struct operation *o, const char *end) {
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
static void unknown(struct op *op, MPI_Request request) {
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
static struct operation **operations(const struct op *op) {
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

static void unclaim(struct operation **of, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (of[i]) of[i]->claimed = 0;
    free(of);
}

static char *call_line(struct op *op) {
    char ids[65536] = "", at[4000], *line = NULL;
    size_t length = 0;
    struct operation **of = operations(op);
    for (int64_t i = 0; i < op->requests && length + 16 < sizeof ids; i++) {
        int none = op->request[i] == MPI_REQUEST_NULL ? 0 : -1;
        length += (size_t)sprintf(ids + length, "%s%d", i ? "," : "", of[i] ? of[i]->id : none);
    }
    unclaim(of, op->requests);
    int written = asprintf(&line, "{\"k\":\"call\",\"n\":%ld,\"call\":\"%s\",\"at\":\"%s\",\"t\":%ld,\"reqs\":[%s]}",
                           op->number, mpilab_call_names[op->call], mpilab_json(mpilab_place(op->place), at, sizeof at),
                           mpilab_now_ns(), ids);
    return written < 0 ? NULL : line;
}

static void log_call(struct op *op) {
    char *line = call_line(op);
    mpilab_log("%s", line);
    free(line);
}

/* Requests that no operation made must not reach the MPI library: they are taken for MPI_REQUEST_NULL. */
static void admit(struct op *op) {
    for (int64_t i = 0; i < op->requests; i++) {
        if (op->request[i] == MPI_REQUEST_NULL || mpilab_operation_of(op->request[i])) continue;
        unknown(op, op->request[i]);
        op->request[i] = MPI_REQUEST_NULL;
    }
}

/* ---- completion -------------------------------------------------------------------------------------------------- */

/* Writes a waiting call down, once. */
static void tell(struct op *op) {
    if (op->line) mpilab_log("%s", op->line);
    free(op->line);
    op->line = NULL;
}

static void complete(struct op *op, struct operation *o, const MPI_Status *status) {
    int cancelled = 0, size;
    tell(op);
    MPI_Count bytes = 0;
    PMPI_Test_cancelled(status, &cancelled);
    if (o->receives && !cancelled) PMPI_Get_elements_c(status, MPI_BYTE, &bytes);
    if (bytes == MPI_UNDEFINED) bytes = 0;
    mpilab_parts_end(o);
    const char *wrong = mpilab_guard_end(&o->guard, cancelled ? 0 : o->receives ? bytes : INT64_MAX);
    size = o->receives && !cancelled;
    mpilab_log("{\"k\":\"done\",\"n\":%ld,\"req\":%d,\"source\":%d,\"tag\":%d,\"bytes\":%lld,\"cancelled\":%d}",
               op->number, o->id, size ? status->MPI_SOURCE : -1, size ? status->MPI_TAG : -1, (long long)bytes,
               cancelled);
    if (wrong)
        mpilab_finding("buffer-race", o->number, mpilab_place(op->place), "%s between %s and its completion", wrong,
                       mpilab_plain_names[o->call]);
    o->active = 0;
    if (!o->persistent) forget(o, "completed");
}

struct batch {
    int64_t count;
    MPI_Request *copies;
    struct operation **of;
    int64_t *order;
    MPI_Status *statuses;
};

static struct batch gather(struct op *op) {
    struct batch b = {.count = op->requests};
    size_t room = (size_t)(b.count > 0 ? b.count : 0) + 1;
    b.copies = malloc(sizeof *b.copies * room);
    b.of = operations(op);
    b.order = malloc(sizeof *b.order * room);
    b.statuses = calloc(room, sizeof *b.statuses);
    for (int64_t i = 0; i < b.count; i++) {
        b.copies[i] = op->request[i];
        b.order[i] = i;
    }
    for (int64_t i = b.count - 1; i > 0; i--) {
        int64_t k = mpilab_random() % (unsigned)(i + 1), swap = b.order[i];
        b.order[i] = b.order[k];
        b.order[k] = swap;
    }
    return b;
}

static void let_go(struct batch *b) {
    unclaim(b->of, b->count);
    free(b->copies), free(b->order), free(b->statuses);
}

/* Completes request i, of which MPI said so. */
static void take(struct op *op, struct batch *b, int64_t i, const MPI_Status *status) {
    if (b->of[i] && b->of[i]->active) complete(op, b->of[i], status);
    b->of[i] = NULL; /* it may be gone */
    op->request[i] = b->copies[i];
}

static int active(const struct batch *b, int64_t i) { return b->of[i] && b->of[i]->active; }

/* "Not yet", although it may be: once or twice for each operation. */
static int delayed(struct batch *b, int64_t i) {
    int flag;
    if (b->of[i]->delay <= 0) return 0;
    b->of[i]->delay--;
    PMPI_Request_get_status(b->copies[i], &flag, MPI_STATUS_IGNORE); /* goes on nevertheless */
    return 1;
}

static int wait_all(struct op *op, struct batch *b) {
    int single = op->call == CALL_Wait || op->call == CALL_Test;
    int test = op->call == CALL_Test || op->call == CALL_Testall;
    for (int64_t i = 0; test && i < b->count; i++) {
        if (active(b, i) && delayed(b, i)) {
            *op->flag = 0;
            return MPI_SUCCESS;
        }
    }
    int result, flag = 1;
    if (single && test)
        result = PMPI_Test(b->copies, &flag, b->statuses);
    else if (single)
        result = PMPI_Wait(b->copies, b->statuses);
    else if (test)
        result = PMPI_Testall((int)b->count, b->copies, &flag, b->statuses);
    else
        result = PMPI_Waitall((int)b->count, b->copies, b->statuses);
    if (test) *op->flag = flag;
    for (int64_t i = 0; flag && i < b->count; i++)
        if (result != MPI_ERR_IN_STATUS || b->statuses[i].MPI_ERROR == MPI_SUCCESS) take(op, b, i, &b->statuses[i]);
    int ignored = op->status == MPI_STATUS_IGNORE || op->status == MPI_STATUSES_IGNORE;
    if (flag && !ignored) memcpy(op->status, b->statuses, sizeof *b->statuses * (size_t)b->count);
    return result;
}

/* The first of `order` that is complete, in *which; -1: none. `test`: don't wait. */
static int one(struct batch *b, int64_t *which, int test, MPI_Status *status) {
    int result, index = MPI_UNDEFINED, flag = 1;
    int64_t count = 0, *real = malloc(sizeof *real * (size_t)(b->count + 1));
    MPI_Request *copies = malloc(sizeof *copies * (size_t)(b->count + 1));
    for (int64_t k = 0; k < b->count; k++) {
        int64_t i = b->order[k];
        if (!active(b, i) || (test && delayed(b, i))) continue;
        copies[count] = b->copies[i];
        real[count++] = i;
    }
    if (!count)
        result = MPI_SUCCESS;
    else if (test)
        result = PMPI_Testany((int)count, copies, &index, &flag, status);
    else
        result = PMPI_Waitany((int)count, copies, &index, status);
    *which = count && flag && index != MPI_UNDEFINED ? real[index] : -1;
    if (*which >= 0) b->copies[*which] = copies[index];
    free(copies), free(real);
    return result;
}

static int64_t active_count(const struct batch *b) {
    int64_t count = 0;
    for (int64_t i = 0; i < b->count; i++) count += active(b, i);
    return count;
}

static int wait_any(struct op *op, struct batch *b) {
    int test = op->call == CALL_Testany, result = MPI_SUCCESS;
    int64_t which = -1, live = active_count(b);
    MPI_Status status;
    PMPI_Status_set_elements(&status, MPI_BYTE, 0);
    status.MPI_SOURCE = MPI_ANY_SOURCE, status.MPI_TAG = MPI_ANY_TAG, status.MPI_ERROR = MPI_SUCCESS;
    if (live) result = one(b, &which, test, &status);
    if (test) *op->flag = which >= 0 || !live;
    *op->index = which >= 0 ? (int)which : MPI_UNDEFINED;
    if (which >= 0) take(op, b, which, &status);
    if (op->status != MPI_STATUS_IGNORE && (which >= 0 || !live)) *op->status = status;
    return result;
}

static int wait_some(struct op *op, struct batch *b) {
    int test = op->call == CALL_Testsome, result = MPI_SUCCESS;
    int64_t which, found = 0;
    if (!active_count(b)) {
        *op->outcount = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    *op->outcount = 0;
    do {
        MPI_Status status;
        result = one(b, &which, test || found, &status);
        if (which < 0 || result) break;
        take(op, b, which, &status);
        op->indices[found] = (int)which;
        if (op->status != MPI_STATUSES_IGNORE) op->status[found] = status;
        *op->outcount = (int)++found;
    } while (mpilab_random() % 4 && active_count(b));
    return result;
}

/* A test that said no is not written down: a program may ask a million times. */
static int said_no(const struct op *op) {
    if (op->call == CALL_Testsome) return *op->outcount == 0;
    return op->flag && !*op->flag;
}

int mpilab_wait(struct op *op) {
    int result, test = op->flag || op->call == CALL_Testsome;
    op->line = call_line(op);
    if (!test) tell(op);
    admit(op);
    struct batch b = gather(op);
    switch (op->call) {
    case CALL_Waitany:
    case CALL_Testany:
        result = wait_any(op, &b);
        break;
    case CALL_Waitsome:
    case CALL_Testsome:
        result = wait_some(op, &b);
        break;
    default:
        result = wait_all(op, &b);
    }
    let_go(&b);
    op->quiet = test && !result && said_no(op);
    if (!op->quiet) tell(op);
    free(op->line);
    return result;
}

/* ---- the other calls that take requests --------------------------------------------------------------------------- */

int mpilab_start(struct op *op) {
    int result = MPI_SUCCESS;
    log_call(op);
    struct batch b = gather(op);
    for (int64_t k = 0; k < b.count && !result; k++) { /* Startall promises no order */
        int64_t i = b.order[k];
        struct operation *o = b.of[i];
        if (!o) {
            if (b.copies[i] == MPI_REQUEST_NULL)
                mpilab_finding("request-lifecycle", op->number, NULL, "%s is given MPI_REQUEST_NULL",
                               mpilab_plain_names[op->call]);
            else
                unknown(op, b.copies[i]);
        } else if (!o->persistent) {
            mpilab_finding("request-lifecycle", op->number, o->at,
                           "%s is given the request of %s, which is not persistent", mpilab_plain_names[op->call],
                           mpilab_plain_names[o->call]);
        } else if (o->active) {
            mpilab_finding("request-lifecycle", op->number, o->at,
                           "%s starts a request that is active already: it has not been completed since its last start",
                           mpilab_plain_names[op->call]);
        } else {
            o->active = 1;
            o->starts++;
            o->delay = (int)(mpilab_random() % 3);
            mpilab_log("{\"k\":\"start\",\"n\":%ld,\"req\":%d}", op->number, o->id);
            mpilab_parts_start(o, op->place);
            if (!o->partitioned) {
                struct blocks *sides[] = {&o->guard.sent, &o->guard.received};
                for (int side = 0; side < 2; side++) mpilab_guard_overlap(op, sides[side], side);
                mpilab_guard_start(&o->guard, o->id, op->place);
            }
            result = PMPI_Start(&op->request[i]);
        }
    }
    let_go(&b);
    return result;
}

int mpilab_free_request(struct op *op) {
    log_call(op);
    if (*op->request == MPI_REQUEST_NULL) {
        mpilab_finding("request-lifecycle", op->number, NULL, "MPI_Request_free is given MPI_REQUEST_NULL");
        return MPI_SUCCESS;
    }
    struct operation *o = mpilab_operation_of(*op->request);
    if (!o) {
        unknown(op, *op->request);
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
    forget(o, "freed");
    return result;
}

int mpilab_cancel(struct op *op) {
    log_call(op);
    admit(op);
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
            forget(o, "left open");
        }
    }
}
