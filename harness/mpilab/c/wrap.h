/* What the wrappers, the recorder and strict mode share: modes, the description of a call, the fast inline parts.
 *
 * Theory of operation.  A wrapper (wrappers.py writes one for each row of calls.def) does in every mode: `enter`, which
 * publishes on the control page where this thread now stands; PMPI_X; `leave`.  That is a dozen stores, because it is paid
 * by every call of a timed kernel.  What else a mode does is behind one test of `page->mode`. */
#ifndef MPILAB_WRAP_H
#define MPILAB_WRAP_H

#include "page.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum mode { MODE_OFF, MODE_RECORD, MODE_STRICT };

/* What a trace can select: bits of page->recording. */
enum {
    GROUP_p2p = 1,
    GROUP_nonblocking = 1,
    GROUP_persistent = 1,
    GROUP_partitioned = 1,
    GROUP_request = 2,
    GROUP_collective = 4,
    GROUP_nonblocking_collective = 4,
    GROUP_persistent_collective = 4,
    GROUP_io = 8,
    GROUP_communicator = 16,
    GROUP_datatype = 16,
    GROUP_group = 16,
    GROUP_object = 16,
    GROUP_environment = 16,
    GROUP_rma = 32
};

/* What strict mode does with a call (third column of calls.def). */
enum kind {
    KIND_OTHER,
    KIND_SEND,
    KIND_RECV,
    KIND_SENDRECV,
    KIND_REPLACE,
    KIND_PROBE,
    KIND_MPROBE,
    KIND_MRECV,
    KIND_WAIT,
    KIND_CANCEL,
    KIND_FREE_REQUEST,
    KIND_GET_STATUS,
    KIND_NEW_REQUEST,
    KIND_START,
    KIND_PARTITION,
    KIND_COLLECTIVE,
    KIND_ACCESS,
    KIND_EPOCH,
    KIND_NEW_COMM,
    KIND_NEW_TYPE,
    KIND_NEW_GROUP,
    KIND_NEW_OP,
    KIND_NEW_INFO,
    KIND_NEW_ERRHANDLER,
    KIND_NEW_WIN,
    KIND_NEW_FILE,
    KIND_FREE_COMM,
    KIND_FREE_TYPE,
    KIND_FREE_GROUP,
    KIND_FREE_OP,
    KIND_FREE_INFO,
    KIND_FREE_ERRHANDLER,
    KIND_FREE_WIN,
    KIND_FREE_FILE
};

/* One side of a call's data: a buffer with one count and type, or arrays of them, one for each rank. */
struct part {
    void *buf;
    int64_t count;
    MPI_Datatype type;
    const void *counts, *displs; /* arrays: int and int, or MPI_Count and MPI_Aint (large-count calls) */
    const MPI_Datatype *types;   /* Alltoallw */
};

/* A call of the program, as strict mode sees it. */
struct op {
    enum call_id call;
    enum kind kind;
    int large, makes; /* 1: a large-count call; 1: it makes a request */
    const void *place;
    struct standing *standing;
    MPI_Comm comm;
    int dest, tag, source, rtag, root;
    struct part send, recv;
    MPI_Op op;
    MPI_Win win;
    struct part target;   /* one-sided: count and type at the target, */
    int64_t displacement; /* and where, in units of its window */
    int lock;             /* Win_lock's type */
    MPI_Group group;      /* Win_start, Win_post */
    MPI_Request *request; /* the one the call makes or takes, or the array */
    int64_t requests;     /* length of that array */
    int *flag, *index, *outcount, *indices;
    MPI_Status *status; /* one, or the array; may be ..._IGNORE */
    MPI_Message *message;
    void *object; /* where a new object's handle is put, or that of the one to be freed is */
    int argument; /* of epoch calls: assert or lock type */
    int result;
    int first, last; /* partitions */
    char *line;      /* of the log, where it is written only when something came of the call */
    int quiet;       /* nothing came of it: not to be written down */
    long number;     /* of this call on this rank, in the strict log */
    void *operation; /* strict mode: of the request it makes */
};

/* record.c */
void mpilab_came(struct standing *s, const MPI_Status *status);
void mpilab_event(struct standing *s, enum call_id id, uint64_t start, uint64_t request);
void mpilab_completion(struct standing *s, uint64_t request, const MPI_Status *status);
void mpilab_received(struct standing *s, const MPI_Status *status);
void mpilab_started(struct standing *s, uint64_t request);
int64_t mpilab_type_bytes(int64_t count, MPI_Datatype type);
int64_t mpilab_sum_bytes(const struct standing *s, int large, const void *counts, MPI_Datatype type);
void mpilab_record_begin(void);
void mpilab_record_end(int together);
int mpilab_record_open(MPI_Fint comm, const char *folder, uint64_t least, uint32_t groups, int off);
void mpilab_record_close(void);
void mpilab_region_only(const char *name);
uint64_t mpilab_ticks(void);
void mpilab_pcontrol(int level);

/* comms.c */
int mpilab_comm_index(MPI_Comm comm); /* in page->comms, -1 when not there */
int mpilab_comm_id(MPI_Comm comm);
void mpilab_comm_new(MPI_Comm parent, MPI_Comm comm); /* the call that made it has just returned */
void mpilab_comm_gone(MPI_Comm comm);
void mpilab_window_new(MPI_Comm parent, MPI_Win win); /* known like a communicator, by its handle */
MPI_Comm mpilab_comm_shadow(MPI_Comm comm);
void mpilab_comms_begin(void);

/* strict.c */
int mpilab_before(struct op *op); /* 1: the wrapper makes the call, with op's buffers; 0: it was made */
int mpilab_after(struct op *op);  /* what the call returns */
void mpilab_window_made(MPI_Win win, MPI_Comm shadow);

/* pmpi.c; hidden: read without the detour that a variable takes which others might replace */
#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN __thread int mpilab_thread;                /* this thread's number, -1 before its first call */
extern HIDDEN __thread struct standing *mpilab_standing; /* and its place on the page, or NULL */
extern HIDDEN __thread struct comm_cache {
    MPI_Comm comm;
    int index;
} mpilab_comm_cache;
struct standing *mpilab_new_thread(void);
void mpilab_use_page(struct rank_page *page);

#define NOBODY (-1000000) /* a call that names no other rank */
#define LIKELY(x) __builtin_expect(!!(x), 1)

static inline int comm_index(MPI_Comm comm) {
    if (__builtin_constant_p(comm == MPI_COMM_NULL) && comm == MPI_COMM_NULL) return -1; /* a call without one */
    return LIKELY(comm == mpilab_comm_cache.comm) ? mpilab_comm_cache.index : mpilab_comm_index(comm);
}

/* Bytes of a message; -1 where that is not known at once. */
static inline int64_t bytes_of(int64_t count, MPI_Datatype type) {
#ifdef MPICH_NUMVERSION /* a predefined type's handle holds its size */
    if (LIKELY(((uint32_t)type & 0xff000000u) == 0x4c000000u)) return count * (((uint32_t)type >> 8) & 0xff);
#endif
    return -1;
}

/* Bytes of the message that a status tells of. */
static inline int64_t bytes_received(const MPI_Status *status) {
#ifdef MPICH_NUMVERSION /* which keeps them there, for every type */
    return (int64_t)((uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 | (uint32_t)status->count_lo);
#else
    MPI_Count bytes = 0;
    PMPI_Get_elements_c(status, MPI_BYTE, &bytes);
    return bytes > 0 ? bytes : 0;
#endif
}

static inline struct standing *enter(enum call_id id, MPI_Comm comm, int peer, int tag, int64_t bytes, void *place) {
    struct rank_page *page = mpilab_page;
    struct standing *s = mpilab_standing;
    if (!LIKELY(s != NULL)) s = mpilab_new_thread();
    s->peer = peer;
    s->tag = tag;
    s->comm = comm_index(comm);
    s->bytes = bytes;
    s->place = (uint64_t)place;
    s->waits = 0;
    s->entered++;
    s->in_call = id;
    if (page->phase != PHASE_IDLE) page->calls[id]++;
    return s;
}

void mpilab_failed(enum call_id id, int result);

static inline int leave(struct standing *s, enum call_id id, int result) {
    s->in_call = CALL_NONE;
    if (!LIKELY(!result)) mpilab_failed(id, result);
    return result;
}

static inline struct posted *posted_at(uint64_t request) {
    return &mpilab_page->posted[(request ^ (request >> 12)) & (PAGE_POSTED - 1)];
}

/* A call has made the operation `request`; `turn` is of a collective, else 0. */
static inline void posted(const struct standing *s, enum call_id id, MPI_Request request, int active, int turn) {
    uint64_t handle = (uint64_t)(uintptr_t)request;
    struct posted *p = posted_at(handle);
    *p = (struct posted){handle, id, s->peer, s->tag, s->comm, s->bytes, s->place, turn, active, {0}};
}

/* A request is complete: its entry goes, or is inactive where the request lives on. */
static inline void completed(uint64_t handle, MPI_Request now) {
    struct posted *p = posted_at(handle);
    if (p->request != handle) return;
    p->active = 0;
    if (now == MPI_REQUEST_NULL) p->call = 0;
}

static inline void waits_for(struct standing *s, int64_t count, const MPI_Request *requests, int any) {
    s->any = any;
    for (int64_t i = 0; i < count && i < PAGE_WAITS; i++) s->wait[i] = (uint64_t)(uintptr_t)requests[i];
    s->waits = (int32_t)count;
}

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    extern HIDDEN int mpilab_use_tsc;
    if (LIKELY(mpilab_use_tsc)) return __builtin_ia32_rdtsc();
#endif
    return mpilab_ticks();
}

#endif
