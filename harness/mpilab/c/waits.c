/* The calls that complete and start operations.
 *
 * Theory of operation.  The waiting calls complete what MPI says is complete, but in an order of chance, some at a time, and
 * tests are told "not yet" once or twice; Startall starts in any order: all of that the standard permits.  The operations of a
 * call stay claimed until it is over (requests.c). */
#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!o->persistent) mpilab_operation_forget(o, "completed");
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
    b.of = mpilab_operations(op);
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
    mpilab_unclaim(b->of, b->count);
    free(b->copies), free(b->order), free(b->statuses);
}

/* Completes request i, of which MPI said so. */
static void take(struct op *op, struct batch *b, int64_t i, const MPI_Status *status) {
    struct operation *o = b->of[i];
    if (o && o->active) {
        int lives = o->persistent;
        complete(op, o, status);
        if (lives) o->claimed = 0;
        b->of[i] = NULL; /* it may be gone */
    }
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
    op->line = mpilab_requests_line(op);
    if (!test) tell(op);
    mpilab_requests_admit(op);
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

/* ---- starting ---------------------------------------------------------------------------------------------------- */

int mpilab_start(struct op *op) {
    int result = MPI_SUCCESS;
    op->line = mpilab_requests_line(op);
    tell(op);
    struct batch b = gather(op);
    for (int64_t k = 0; k < b.count && !result; k++) { /* Startall promises no order */
        int64_t i = b.order[k];
        struct operation *o = b.of[i];
        if (!o) {
            if (b.copies[i] == MPI_REQUEST_NULL)
                mpilab_finding("request-lifecycle", op->number, NULL, "%s is given MPI_REQUEST_NULL",
                               mpilab_plain_names[op->call]);
            else
                mpilab_request_unknown(op, b.copies[i]);
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
