/* Strict mode: MPI that behaves as badly as the standard permits, and looks for everything that it forbids.
 *
 * Theory of operation.  `mpilab_before` writes the call into the log, makes sure that it may be made, and makes it in the
 * least helpful way: a standard send becomes a synchronous one, collectives wait for everybody (and compare what they were
 * given, through a duplicate of the communicator, before any data moves), receives go to a shadow (guard.c), a receive from
 * anybody takes the message that is asked for least, completions come late and in no order (requests.c).  `mpilab_after` writes
 * down how it went.  What can only be seen by comparing ranks is found from the logs after the run (diagnosis/). */
#define _GNU_SOURCE
#include "strict.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRACE_US 200000     /* before a fatal error ends all ranks: they may be about to write what explains it */
#define WILD_LOOK_US 600000 /* a receive from anybody looks around for so long, at first */
#define WILD_LOOKS 6        /* so often, and then shortly */
#define WILD_SHORT_US 5000
#define WILD_BUDGET_US 8000000 /* in all */

static long calls;
static unsigned seed = 1;
static __thread struct op *current;
static MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
static enum { WILD_ANY, WILD_LOW, WILD_HIGH } wild;
static long wild_spent_us;

static pthread_mutex_t tables = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void mpilab_lock(void) { pthread_mutex_lock(&tables); }

void mpilab_unlock(void) { pthread_mutex_unlock(&tables); }

unsigned mpilab_random(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Nothing that follows can be trusted: ends all ranks, when they have had time to write their side of it. */
static void give_up(const char *how) {
    mpilab_log("{\"k\":\"end\",\"how\":\"%s\"}", how);
    usleep(GRACE_US);
    mpilab_page->aborted = 2;
    PMPI_Abort(MPI_COMM_WORLD, 86);
}

/* The MPI library has found an error and the program would be ended now. */
static void on_error(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    if (current) {
        current->result = *code;
        mpilab_log_return(current, 0, NULL);
    }
    give_up("error");
}

static void on_window_error(MPI_Win *win, int *code, ...) {
    (void)win;
    on_error(NULL, code);
}

/* The program has a new window, whose errors would end it. */
void mpilab_strict_window(MPI_Win win) {
    MPI_Errhandler own;
    if (handler == MPI_ERRHANDLER_NULL) return; /* a kernel's errors are the host's */
    PMPI_Win_create_errhandler(on_window_error, &own);
    PMPI_Win_set_errhandler(win, own);
    PMPI_Errhandler_free(&own);
}

/* ---- making the call --------------------------------------------------------------------------------------------- */

/* All ranks of a collective have come: are they in the same one?  Ends the program when not. */
static void agree(const struct op *op) {
    MPI_Comm shadow = mpilab_comm_shadow(op->comm);
    int size;
    char name[64];
    if (shadow == MPI_COMM_NULL) return;
    PMPI_Comm_size(shadow, &size);
    if (op->root != NOBODY && (op->root < 0 || op->root >= size)) return; /* the MPI library will say so */
    /* the large-count form, numbered next, is the same call */
    uint64_t own[4] = {(uint64_t)((int)op->call - op->large), (uint64_t)(int64_t)op->root, 0, 0};
    enum base base = mpilab_base(op->call);
    if (base >= BASE_REDUCE && base <= BASE_EXSCAN)
        for (const char *c = mpilab_operator_name(op->op, name, sizeof name); *c; c++)
            own[2] = own[2] * 257 + (unsigned char)*c;
    /* packed data may be sent as such and received as what it is, so only their lengths could be compared */
    int packed = op->recv.type == MPI_PACKED;
    if (!packed && (base == BASE_BCAST || base == BASE_REDUCE || base == BASE_ALLREDUCE || base == BASE_SCAN ||
                    base == BASE_EXSCAN || base == BASE_REDUCE_SCATTER_BLOCK))
        own[3] = mpilab_signature(op->recv.count, op->recv.type).hash;
    uint64_t *all = malloc(sizeof own * (size_t)size);
    PMPI_Allgather(own, 4, MPI_UINT64_T, all, 4, MPI_UINT64_T, shadow);
    int differ = 0;
    for (int i = 0; i < 4 * size; i++) differ |= all[i] != own[i % 4] && (i % 4 < 3 || (all[i] && own[3]));
    free(all);
    if (differ) give_up("mismatch");
}

/* Of the messages that a receive from anybody could take: which one?  Both answers must be right. */
static int choose_source(const struct op *op) {
    int chosen = MPI_ANY_SOURCE, seen = 0;
    if (op->source != MPI_ANY_SOURCE || wild == WILD_ANY || wild_spent_us > WILD_BUDGET_US) return op->source;
    static int looks;
    int size = mpilab_comm_peers(op->comm);
    long most = looks++ < WILD_LOOKS ? WILD_LOOK_US : WILD_SHORT_US;
    for (long waited = 0; waited < most && seen < size - 1; waited += 500) {
        seen = 0;
        for (int i = 0; i < size; i++) {
            int flag = 0, rank = wild == WILD_LOW ? size - 1 - i : i; /* the last one found counts */
            if (PMPI_Iprobe(rank, op->rtag, op->comm, &flag, MPI_STATUS_IGNORE)) return op->source;
            if (flag) chosen = rank, seen++;
        }
        usleep(500);
        wild_spent_us += 500;
    }
    return chosen;
}

static int send(struct op *op) {
    const struct part *s = &op->send;
    if (mpilab_is(op->call, "Psend_init")) return 1;
    if (mpilab_is(op->call, "Send"))
        op->result = PMPI_Ssend_c(s->buf, s->count, s->type, op->dest, op->tag, op->comm);
    else if (mpilab_is(op->call, "Isend"))
        op->result = PMPI_Issend_c(s->buf, s->count, s->type, op->dest, op->tag, op->comm, op->request);
    else if (mpilab_is(op->call, "Send_init"))
        op->result = PMPI_Ssend_init_c(s->buf, s->count, s->type, op->dest, op->tag, op->comm, op->request);
    else
        return 1;
    return 0;
}

static int receive(struct op *op, MPI_Status *status) {
    const struct part *r = &op->recv;
    if (mpilab_is(op->call, "Precv_init")) return 1;
    int source = mpilab_persistent(op->call) ? op->source : choose_source(op);
    if (mpilab_is(op->call, "Recv"))
        op->result = PMPI_Recv_c(r->buf, r->count, r->type, source, op->rtag, op->comm, status);
    else if (mpilab_is(op->call, "Irecv"))
        op->result = PMPI_Irecv_c(r->buf, r->count, r->type, source, op->rtag, op->comm, op->request);
    else
        op->result = PMPI_Recv_init_c(r->buf, r->count, r->type, op->source, op->rtag, op->comm, op->request);
    return 0;
}

/* A Sendrecv whose send half waits for its receiver. */
static int send_receive(struct op *op, MPI_Status *status) {
    const struct part *s = &op->send, *r = &op->recv;
    if (!mpilab_is(op->call, "Sendrecv")) return 1;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    op->result = PMPI_Irecv_c(r->buf, r->count, r->type, op->source, op->rtag, op->comm, &requests[0]);
    if (op->result) return 0;
    op->result = PMPI_Issend_c(s->buf, s->count, s->type, op->dest, op->tag, op->comm, &requests[1]);
    if (op->result) {
        PMPI_Cancel(&requests[0]);
        PMPI_Request_free(&requests[0]);
        return 0;
    }
    op->result = PMPI_Waitall(2, requests, statuses);
    if (op->result == MPI_ERR_IN_STATUS)
        op->result = statuses[0].MPI_ERROR ? statuses[0].MPI_ERROR : statuses[1].MPI_ERROR;
    *status = statuses[0];
    return 0;
}

static void outside(struct op *op) {
    int life = mpilab_page->life;
    if (life == LIFE_MPI) return;
    mpilab_log_bare(op);
    mpilab_finding("outside-mpi", op->number, NULL, "%s is called %s", mpilab_plain_names[op->call],
                   life == LIFE_FINALIZED ? "after MPI_Finalize" : "before MPI_Init");
    mpilab_log("{\"k\":\"end\",\"how\":\"error\"}");
    usleep(GRACE_US);
    mpilab_page->aborted = 2;
    _exit(86);
}

static __thread MPI_Status own_status;

int mpilab_before(struct op *op) {
    if (op->call == CALL_Session_init && mpilab_page->life == LIFE_NONE) {
        mpilab_page->mode = MODE_OFF; /* sessions without MPI_COMM_WORLD are not looked into */
        return 1;
    }
    op->number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    op->place = mpilab_site(op->place);
    current = op;
    outside(op);
    mpilab_rma_tell(op->number);
    if (op->kind == KIND_WAIT || op->kind == KIND_START || op->kind == KIND_FREE_REQUEST || op->kind == KIND_CANCEL) {
        op->result = op->kind == KIND_WAIT     ? mpilab_wait(op)
                     : op->kind == KIND_START  ? mpilab_start(op)
                     : op->kind == KIND_CANCEL ? mpilab_cancel(op)
                                               : mpilab_free_request(op);
        return 0;
    }
    int asks = (op->kind == KIND_PROBE || op->kind == KIND_MPROBE || op->kind == KIND_GET_STATUS) && op->flag;
    if (mpilab_freed(op)) give_up("error"); /* first: what is written down asks MPI about all of them */
    if (!asks) mpilab_log_call(op);
    if (!mpilab_valid(op)) give_up("error");
    MPI_Status *status = &own_status;
    int one_status = op->kind != KIND_OTHER && op->status != NULL;
    if (one_status && op->status != MPI_STATUS_IGNORE) status = op->status;
    if (one_status) op->status = status;
    if (op->kind <= KIND_MRECV && op->kind >= KIND_SEND) mpilab_guard_touched(op);
    if (op->kind == KIND_COLLECTIVE || op->kind == KIND_ACCESS) mpilab_guard_touched(op);
    if (op->makes) op->operation = mpilab_operation_new(op);
    switch (op->kind) {
    case KIND_SEND:
        return send(op);
    case KIND_RECV:
        return receive(op, status);
    case KIND_PROBE:
        if (op->flag || op->source != MPI_ANY_SOURCE) return 1;
        op->result = PMPI_Probe(choose_source(op), op->rtag, op->comm, op->status);
        return 0;
    case KIND_MPROBE: /* mpi4py's recv is one */
        if (op->flag || op->source != MPI_ANY_SOURCE) return 1;
        op->result = PMPI_Mprobe(choose_source(op), op->rtag, op->comm, op->message, op->status);
        return 0;
    case KIND_PARTITION:
        return mpilab_partition(op, 0);
    case KIND_SENDRECV:
        return send_receive(op, status);
    case KIND_MRECV:
        if (!op->request) return 1;
        op->result = PMPI_Imrecv_c(op->recv.buf, op->recv.count, op->recv.type, op->message, op->request);
        return 0;
    case KIND_ACCESS:
    case KIND_EPOCH:
    case KIND_FREE_WIN: {
        int made = mpilab_rma(op);
        if (made < 0) give_up("error");
        if (!made) return 0;
        break;
    }
    default:
        break;
    }
    if (op->kind >= KIND_FREE_COMM) mpilab_object_free(op);
    if (mpilab_is_collective(op) && !op->makes) agree(op);
    if (op->kind == KIND_FREE_COMM) mpilab_comm_shadow_gone(op->comm);
    return 1;
}

int mpilab_after(struct op *op) {
    struct operation *made = op->operation;
    int blocking = (op->kind >= KIND_RECV && op->kind <= KIND_MRECV) && !op->makes && (!op->flag || *op->flag);
    if (op->flag && (op->kind == KIND_PROBE || op->kind == KIND_MPROBE || op->kind == KIND_GET_STATUS)) {
        op->quiet = !op->result && !*op->flag; /* asked in vain, perhaps a million times */
        if (!op->quiet) mpilab_log_call(op);
    }
    if (!op->quiet) mpilab_log_return(op, made && !op->result ? made->id : 0, blocking ? op->status : NULL);
    if (made && op->result)
        mpilab_operation_failed(made);
    else if (made)
        mpilab_operation_made(made, *op->request);
    current = NULL;
    if (op->result) return op->result;
    if (blocking || (op->kind == KIND_COLLECTIVE && !made)) mpilab_guard_blocking(op);
    if (op->kind == KIND_PARTITION) mpilab_partition(op, 1);
    if (op->kind >= KIND_NEW_COMM && op->kind <= KIND_NEW_FILE) mpilab_object_new(op);
    if (op->kind == KIND_FREE_TYPE || op->kind == KIND_NEW_TYPE) mpilab_types_changed();
    if (op->kind == KIND_ACCESS || op->kind == KIND_EPOCH || op->kind == KIND_FREE_WIN) mpilab_rma_after(op);
    return op->result;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* Turns strict mode on: log lines go to `folder`. `comm` is the communicator of a kernel, or MPI_COMM_WORLD. */
static int start(const char *folder, MPI_Comm comm, int fresh) {
    int rank, size;
    const char *choice = getenv("MPILAB_WILD");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if ((fresh || !mpilab_log_is_open()) && mpilab_log_open(folder, rank)) return -1;
    mpilab_unwatch(NULL); /* of an earlier kernel that gave up */
    calls = fresh ? 0 : calls;
    if (fresh) {
        mpilab_objects_begin();
        mpilab_free_ns = 60000000L; /* a kernel lives for milliseconds, and somebody waits for the verdict */
    }
    seed = 12345u + 7919u * (unsigned)rank;
    wild = !choice ? WILD_ANY : !strcmp(choice, "low") ? WILD_LOW : !strcmp(choice, "high") ? WILD_HIGH : WILD_ANY;
    const char *eager = getenv("MPILAB_EAGER");
    mpilab_log("{\"k\":\"init\",\"rank\":%d,\"ranks\":%d,\"eager\":%d}", rank, size, eager ? atoi(eager) : 0);
    mpilab_comms_log();
    mpilab_comm_shadow_new(comm);
    mpilab_page->mode = MODE_STRICT;
    return 0;
}

/* The same for a kernel in an engine, from Python. */
int mpilab_strict_kernel(const char *folder, MPI_Fint comm) { return start(folder, PMPI_Comm_f2c(comm), 1); }

/* Under plain mpiexec, at MPI_Init. */
void mpilab_strict_init(void) {
    const char *folder = getenv("MPILAB_STRICT");
    if (!folder || start(folder, MPI_COMM_WORLD, 0)) {
        mpilab_page->mode = MODE_OFF;
        return;
    }
    PMPI_Comm_create_errhandler(on_error, &handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
}

/* What is left open is said, and strict mode is off. */
void mpilab_strict_end(const char *how) {
    mpilab_operations_left();
    mpilab_objects_left();
    mpilab_log("{\"k\":\"end\",\"how\":\"%s\"}", how);
    mpilab_page->mode = MODE_OFF;
}

/* Strict mode is off, however the kernel ended. */
void mpilab_strict_off(void) {
    if (mpilab_page->mode == MODE_STRICT) mpilab_page->mode = MODE_OFF;
}

int mpilab_strict_twice(enum call_id id, const void *place) {
    struct op op = {
        .call = id, .kind = KIND_OTHER, .place = place, .comm = MPI_COMM_NULL, .standing = mpilab_page->threads};
    if (mpilab_page->life == LIFE_NONE) return 0;
    op.number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (mpilab_page->life != LIFE_MPI) outside(&op);
    mpilab_log_call(&op);
    mpilab_finding("outside-mpi", op.number, NULL, "%s is called a second time", mpilab_plain_names[id]);
    return 1;
}

void mpilab_strict_finalize(const void *place) {
    struct op op = {.call = CALL_Finalize,
                    .kind = KIND_OTHER,
                    .place = place,
                    .comm = MPI_COMM_NULL,
                    .standing = mpilab_page->threads};
    op.number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    mpilab_rma_tell(op.number);
    outside(&op);
    mpilab_log_call(&op);
    mpilab_rma_left(&op);
    mpilab_strict_end("finalized");
    mpilab_page->mode = MODE_STRICT; /* calls after this one are to be seen */
    if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
}
