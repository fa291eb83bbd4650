/* The parts of strict mode, and what they need of each other. */
#ifndef MPILAB_STRICT_H
#define MPILAB_STRICT_H

#include "wrap.h"

/* ---- log.c: what happened on this rank, one JSON object a line ------------------------------------------------- */
extern const char *const mpilab_call_names[];
extern const char *const mpilab_plain_names[];
int mpilab_log_is_open(void);
int mpilab_log_open(const char *folder, int rank);
void mpilab_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void mpilab_finding(const char *kind, long number, const char *also, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *mpilab_json(const char *text, char *into, size_t size); /* as the inside of a JSON string */
long mpilab_now_ns(void);
void mpilab_log_comm(int id, int size, const int *ranks, int inter);

/* ---- calllog.c ---------------------------------------------------------------------------------------------------- */
void mpilab_log_call(struct op *op);
void mpilab_log_bare(const struct op *op);
void mpilab_log_return(struct op *op, int request, const MPI_Status *status);
const char *mpilab_operator_name(MPI_Op op, char *into, size_t size);
int mpilab_is_collective(const struct op *op); /* all ranks of its communicator make it, in the same order */

/* ---- place.c: where a call was made ------------------------------------------------------------------------------ */
const char *mpilab_place(const void *address); /* "binary+0x12" or "script.py:12"; valid for ever */
const void *
mpilab_site(const void *address); /* the same for good: a call of Python code gets its line's text as address */
struct python {                   /* functions of Python's API, and its None */
    int (*alive)(void);
    int (*ensure)(void);
    void (*release)(int);
    void *(*frame)(void);
    void *(*code)(void *);
    void *(*back)(void *);
    int (*line)(void *);
    void *(*attribute)(void *, const char *);
    const char *(*utf8)(void *);
    void (*forget)(void *);
    void (*set_trace)(int (*)(void *, void *, int, void *), void *);
    void *(*import)(const char *);
    void *(*system)(const char *);
    void *(*call)(void *, ...);
    void (*clear)(void);
    void *none;
};
const struct python *mpilab_python(void); /* NULL: no Python here */
const char *mpilab_python_line(void *frame, int line);
int mpilab_python_own(void *frame); /* is it code of the program, and not of a library? */

/* ---- types.c: what a datatype is made of ------------------------------------------------------------------------- */
struct signature {
    uint64_t hash;
    int64_t elements;
    int64_t bytes;
    char basic[32]; /* the one basic type, or "-" */
};
struct signature mpilab_signature(int64_t count, MPI_Datatype type);
const char *mpilab_signature_text(struct signature s, char *into, size_t size);
const char *mpilab_type_name(MPI_Datatype type);
void mpilab_types_changed(void); /* a type was freed: its handle may come back as another */

struct block {
    char *base;
    size_t bytes;
};
struct blocks {
    struct block *list;
    size_t count, room;
    int whole; /* 0: too many or not to be known; the list is empty */
};
/* Adds the bytes that `count` elements of `type` at `buf` are. */
void mpilab_blocks_add(struct blocks *b, const void *buf, int64_t count, MPI_Datatype type);
void mpilab_blocks_free(struct blocks *b);
int mpilab_contiguous(MPI_Datatype type);

/* ---- parts.c: what a call sends and receives ----------------------------------------------------------------------*/
enum base {
    BASE_NONE,
    BASE_BARRIER,
    BASE_BCAST,
    BASE_GATHER,
    BASE_GATHERV,
    BASE_SCATTER,
    BASE_SCATTERV,
    BASE_ALLGATHER,
    BASE_ALLGATHERV,
    BASE_ALLTOALL,
    BASE_ALLTOALLV,
    BASE_ALLTOALLW,
    BASE_REDUCE,
    BASE_ALLREDUCE,
    BASE_REDUCE_SCATTER_BLOCK,
    BASE_REDUCE_SCATTER,
    BASE_SCAN,
    BASE_EXSCAN,
    BASE_NEIGHBOR
};
enum base mpilab_base(enum call_id call);
int mpilab_is(enum call_id call, const char *name); /* is it `name`, large-count or not? */
int mpilab_makes_request(enum call_id call);
int mpilab_persistent(enum call_id call);
int mpilab_sends(const struct op *op);    /* does this rank's send side count? */
int mpilab_receives(const struct op *op); /* and its receive side? */
void mpilab_part_blocks(const struct op *op, const struct part *part, int per_rank, struct blocks *blocks);
int mpilab_per_rank(const struct op *op, int receive); /* pieces of that side: 1, or one a rank */
int mpilab_degree(MPI_Comm comm, int receive);         /* neighbours in its graph, on that side */
int64_t mpilab_piece(const struct op *op, const struct part *part, int i, MPI_Datatype *type);
size_t mpilab_part_text(const struct op *op, const struct part *part, int pieces, char *into, size_t size);

/* ---- guard.c: buffers between post and completion ---------------------------------------------------------------- */
struct guard {
    struct blocks sent, received;
    uint64_t checksum;
    char *shadow, *saved; /* where MPI really receives, and what the program's buffer held */
    int flight, active;
    int shared;      /* others use the same number in flight.c */
    uint32_t poison; /* in the program's buffer, again and again */
};
#define POISON                                                                                                         \
    0xfffb0000u /* NaN as a float or a double, with 16 bits that tell which operation's; negative as an integer */
void mpilab_guard_new(struct guard *g, struct op *op); /* may put a shadow into op->recv.buf */
void mpilab_guard_start(struct guard *g, int id, const void *site);
void mpilab_guard_part(char *at, size_t bytes);                        /* a part has been received */
void mpilab_guard_blocking(const struct op *op);                       /* the call has received */
const char *mpilab_guard_end(struct guard *g, int64_t received_bytes); /* what was wrong, or NULL */
void mpilab_guard_abandon(struct guard *g);                            /* nobody will know when it is complete */
void mpilab_guard_free(struct guard *g);
void mpilab_guard_touched(struct op *op); /* the call uses buffers that others have in flight? */
void mpilab_guard_overlap(struct op *op, const struct blocks *b, int write);
int mpilab_guard_said(int flight); /* does its race have a finding? */
void mpilab_guard_say(int flight); /* it has now */

/* ---- watch.c: which line of a Python program touches what is in flight ------------------------------------------- */
int mpilab_there(const struct blocks *b); /* 0: it was freed, and given back to the system */
void mpilab_watch(const struct guard *g, const void *site);
extern long mpilab_free_ns;                      /* what looking may take in any case */
void mpilab_unwatch(const struct guard *g);      /* NULL: nothing is in flight any more */
void mpilab_watch_again(const struct blocks *b); /* MPI has changed these bytes */

/* ---- requests.c -------------------------------------------------------------------------------------------------- */
struct operation {
    int id; /* 0: free place */
    uint64_t handle;
    enum call_id call;
    long number; /* of the call that made it */
    const char *at;
    int claimed; /* by an entry of the waiting call that is being made */
    int persistent, active, collective, receives, partitioned, starts;
    int parts, first_part; /* of a partitioned operation: how many, and the number of the first */
    char *part_base;
    size_t part_bytes;
    const void *site;
    int delay;         /* unsuccessful tests still to come */
    MPI_Request *kept; /* the variable that got the handle */
    long overwritten;  /* by which call that variable was given another handle, 0 never */
    MPI_Comm new_comm;
    struct guard guard;
};
struct operation *mpilab_operation_new(struct op *op);
void mpilab_operation_made(struct operation *o, MPI_Request handle);
void mpilab_operation_failed(struct operation *o);
void mpilab_operation_forget(struct operation *o, const char *end);
void mpilab_request_unknown(struct op *op, MPI_Request request); /* says so */
struct operation **mpilab_operations(const struct op *op);       /* of its requests, claimed */
void mpilab_unclaim(struct operation **of, int64_t count);       /* and frees the list */
char *mpilab_requests_line(struct op *op);                       /* its line of the log */
void mpilab_requests_admit(struct op *op);                       /* requests of nobody become MPI_REQUEST_NULL */

/* ---- waits.c ----------------------------------------------------------------------------------------------------- */
int mpilab_wait(struct op *op); /* the whole wait family */
int mpilab_start(struct op *op);
int mpilab_free_request(struct op *op);
int mpilab_cancel(struct op *op);
void mpilab_operation_landed(int id,
                             const struct op *by); /* its buffers are the program's, before anybody waits for it */
struct operation *mpilab_operation_of(MPI_Request request); /* NULL: none */
int mpilab_operation_numbers(int count);                    /* so many numbers for flight.c: the first */

/* ---- partitions.c ------------------------------------------------------------------------------------------------ */
void mpilab_parts_new(struct operation *o, const struct op *op);
void mpilab_parts_start(const struct operation *o, const void *site);
void mpilab_parts_end(const struct operation *o);
int mpilab_partition(const struct op *op, int after); /* 0: must not be made */

void mpilab_operations_left(void); /* at the end: logs what is still open */

/* ---- objects.c: communicators, types, groups... made and freed ---------------------------------------------------- */
void mpilab_object_new(const struct op *op);
void mpilab_object_free(const struct op *op);
void mpilab_objects_left(void);
void mpilab_objects_begin(void);
long mpilab_object_freed(int kind, uint64_t handle); /* by which call, 0: it was not */

/* ---- valid.c -------------------------------------------------------------------------------------------------- */
int mpilab_freed(const struct op *op); /* 1: a handle of what is gone; said */
int mpilab_valid(const struct op *op); /* 0: must not be made */

/* ---- rma.c, window.c: one-sided communication -------------------------------------------------------------------- */
int mpilab_rma(struct op *op); /* 0: the call is not to be made, -1: nor any other */
void mpilab_rma_after(struct op *op);
void mpilab_rma_left(const struct op *op);
size_t mpilab_rma_text(const struct op *op, char *into, size_t size);
void mpilab_rma_local(const void *address, size_t bytes, int write, const void *pc, const char *at);
void mpilab_rma_tell(long number);
void mpilab_strict_window(MPI_Win win); /* strict.c */

/* ---- comms.c ----------------------------------------------------------------------------------------------------- */
void mpilab_comm_shadow_new(MPI_Comm comm);
void mpilab_comm_shadow_gone(MPI_Comm comm);
void mpilab_comms_log(void);
int mpilab_comm_peers(MPI_Comm comm); /* ranks to send to: of an intercommunicator, the other side's */

/* The tables of strict mode belong to one thread at a time; the lock may be taken again by its holder. */
void mpilab_lock(void);
void mpilab_unlock(void);

unsigned mpilab_random(void);

#endif
