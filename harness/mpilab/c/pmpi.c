/* The PMPI library: sees every MPI call of a program or kernel, C or mpi4py.
 *
 * Theory of operation.  The library is preloaded (LD_PRELOAD), so its MPI_X stands before the MPI library's.  wrappers.h,
 * written from calls.def when the library is built, holds one wrapper a call; those that need more are here: the calls that
 * wait, start, begin and end.  Each publishes where its thread stands, counts the call while a kernel is running, and passes
 * on to PMPI_X.  The harness itself calls PMPI_X and so is never seen.
 *
 * Three modes.  Off: that is all.  Record (record.c): an event in this rank's ring.  Strict (strict.c): before and after the
 * call, everything that the standard forbids is looked for, and everything that it permits is done. */
#include "wrap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MPI_MAX_ERROR_STRING <= PAGE_TEXT, "an error text must fit the page");

__thread int mpilab_thread = -1;
__thread struct standing *mpilab_standing;

static pthread_key_t leaving;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A thread has ended: it stands nowhere, and nobody waits for it to move. */
static void left(void *standing) { memset(standing, 0, sizeof(struct standing)); }
static void make_key(void) { pthread_key_create(&leaving, left); }

struct standing *mpilab_new_thread(void) {
    pthread_once(&once, make_key);
    int number = __atomic_fetch_add(&mpilab_page->thread_count, 1, __ATOMIC_RELAXED);
    mpilab_thread = number < PAGE_THREADS ? number : PAGE_THREADS - 1;
    mpilab_standing = &mpilab_page->threads[mpilab_thread];
    pthread_setspecific(leaving, mpilab_standing);
    return mpilab_standing;
}

/* From now on this process publishes on `page`, also the communicators it had; only one thread has called MPI yet. */
void mpilab_use_page(struct rank_page *page) {
    const struct rank_page *old = mpilab_page;
    page->comm_count = old->comm_count;
    page->member_count = old->member_count;
    page->any_source = old->any_source;
    page->proc_null = old->proc_null;
    page->any_tag = old->any_tag;
    memcpy(page->comms, old->comms, sizeof page->comms);
    memcpy(page->members, old->members, sizeof page->members);
    page->thread_count = 0;
    mpilab_page = page;
    mpilab_standing = NULL;
}

/* The first error of a kernel is kept, also when the kernel ignores it. */
void mpilab_failed(enum call_id id, int result) {
    struct rank_page *page = mpilab_page;
    if (page->phase == PHASE_IDLE || page->error_call) return;
    int length = 0;
    PMPI_Error_string(result, page->error_text, &length);
    page->error_call = id;
}

/* A receive has ended: where the message came from, and how long it was. */
void mpilab_came(struct standing *s, const MPI_Status *status) {
    s->peer = status->MPI_SOURCE;
    s->tag = status->MPI_TAG;
    s->bytes = bytes_received(status);
}

#include "wrappers.h"

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

struct wait {
    int64_t count;
    MPI_Request *requests;
    int *flag, *index, *outcount, *indices;
    MPI_Status *statuses;
};

static inline __attribute__((always_inline)) int pass_on(enum call_id id, const struct wait *w) {
    int n = (int)w->count;
    switch (id) {
    case CALL_Wait:
        return PMPI_Wait(w->requests, w->statuses);
    case CALL_Waitall:
        return PMPI_Waitall(n, w->requests, w->statuses);
    case CALL_Waitany:
        return PMPI_Waitany(n, w->requests, w->index, w->statuses);
    case CALL_Waitsome:
        return PMPI_Waitsome(n, w->requests, w->outcount, w->indices, w->statuses);
    case CALL_Test:
        return PMPI_Test(w->requests, w->flag, w->statuses);
    case CALL_Testall:
        return PMPI_Testall(n, w->requests, w->flag, w->statuses);
    case CALL_Testany:
        return PMPI_Testany(n, w->requests, w->index, w->flag, w->statuses);
    default:
        return PMPI_Testsome(n, w->requests, w->outcount, w->indices, w->statuses);
    }
}

/* How many requests the call completed; `*one` is the only one's index, or -1 when they are the first ones, or -2 when
 * they are those of w->indices. */
static inline __attribute__((always_inline)) int64_t finished(enum call_id id, const struct wait *w, int64_t *one) {
    *one = -1;
    switch (id) {
    case CALL_Wait:
    case CALL_Waitall:
        return w->count;
    case CALL_Test:
    case CALL_Testall:
        return *w->flag ? w->count : 0;
    case CALL_Testany:
        if (!*w->flag) return 0; /* fall through */
    case CALL_Waitany:
        *one = *w->index;
        return *w->index != MPI_UNDEFINED;
    default:
        *one = -2;
        return *w->outcount == MPI_UNDEFINED ? 0 : *w->outcount;
    }
}

static inline __attribute__((always_inline)) int said_no(enum call_id id, const struct wait *w) {
    if (id == CALL_Testsome) return *w->outcount == 0;
    return (id == CALL_Test || id == CALL_Testall || id == CALL_Testany) && !*w->flag;
}

static inline int64_t place_of(int64_t one, int64_t i, const struct wait *w) {
    return one >= 0 ? one : one == -1 ? i : w->indices[i];
}

static inline __attribute__((always_inline)) void settle(enum call_id id, const struct wait *w,
                                                         const MPI_Request *before, int64_t kept) {
    int64_t one, count = finished(id, w, &one);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = place_of(one, i, w);
        if (k < kept && before[k] != MPI_REQUEST_NULL) completed((uint64_t)(uintptr_t)before[k], w->requests[k]);
    }
}

static inline __attribute__((always_inline)) int recorded(struct standing *s, enum call_id id, struct wait *w,
                                                          const MPI_Request *before, int64_t kept) {
    MPI_Status own[kept + 1];
    int single = id == CALL_Wait || id == CALL_Waitany || id == CALL_Test || id == CALL_Testany;
    int ignored = w->statuses == MPI_STATUS_IGNORE || w->statuses == MPI_STATUSES_IGNORE;
    if (ignored && kept == w->count) w->statuses = own;
    ignored = ignored && kept != w->count;
    uint64_t start = ticks();
    int result = pass_on(id, w);
    if (!(mpilab_page->recording & GROUP_request)) return result;
    mpilab_event(s, id, start, 0);
    if (result) return result;
    int64_t one, count = finished(id, w, &one);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = place_of(one, i, w);
        if (k >= kept || before[k] == MPI_REQUEST_NULL) continue;
        const MPI_Status *status = ignored ? NULL : single ? w->statuses : &w->statuses[i];
        mpilab_completion(s, (uint64_t)(uintptr_t)before[k], status);
    }
    return result;
}

static inline __attribute__((always_inline)) int waiting(enum call_id id, struct wait w, void *place) {
    struct standing *s = enter(id, MPI_COMM_NULL, NOBODY, 0, -1, place);
    int any = id == CALL_Waitany || id == CALL_Waitsome || id == CALL_Testany || id == CALL_Testsome;
    int result, mode = mpilab_page->mode;
    int64_t kept = w.count < 0 ? 0 : w.count < PAGE_POSTED ? w.count : PAGE_POSTED;
    MPI_Request before[kept + 1];
    for (int64_t i = 0; i < kept; i++) before[i] = w.requests[i];
    waits_for(s, kept, before, any);
    if (LIKELY(mode == MODE_OFF)) {
        result = pass_on(id, &w);
    } else if (mode == MODE_RECORD) {
        result = recorded(s, id, &w, before, kept);
    } else {
        struct op call = {.call = id, .kind = KIND_WAIT, .place = place, .standing = s, .comm = MPI_COMM_NULL};
        call.dest = call.source = call.root = NOBODY;
        call.request = w.requests, call.requests = w.count, call.status = w.statuses;
        call.flag = w.flag, call.index = w.index, call.outcount = w.outcount, call.indices = w.indices;
        if (mpilab_before(&call)) call.result = pass_on(id, &w);
        result = mpilab_after(&call);
    }
    if (!result) settle(id, &w, before, kept);
    if (said_no(id, &w)) s->polls++;
    return leave(s, id, result);
}

#define HERE __builtin_return_address(0)

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    return waiting(CALL_Wait, (struct wait){.count = 1, .requests = request, .statuses = status}, HERE);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses) {
    return waiting(CALL_Waitall, (struct wait){.count = count, .requests = requests, .statuses = statuses}, HERE);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    struct wait w = {.count = count, .requests = requests, .index = index, .statuses = status};
    return waiting(CALL_Waitany, w, HERE);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses) {
    struct wait w = {.count = count, .requests = requests, .outcount = outcount, .indices = indices};
    w.statuses = statuses;
    return waiting(CALL_Waitsome, w, HERE);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    return waiting(CALL_Test, (struct wait){.count = 1, .requests = request, .flag = flag, .statuses = status}, HERE);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses) {
    struct wait w = {.count = count, .requests = requests, .flag = flag, .statuses = statuses};
    return waiting(CALL_Testall, w, HERE);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    struct wait w = {.count = count, .requests = requests, .index = index, .flag = flag, .statuses = status};
    return waiting(CALL_Testany, w, HERE);
}

int MPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses) {
    struct wait w = {.count = count, .requests = requests, .outcount = outcount, .indices = indices};
    w.statuses = statuses;
    return waiting(CALL_Testsome, w, HERE);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static int starting(enum call_id id, int64_t count, MPI_Request *requests, void *place) {
    struct standing *s = enter(id, MPI_COMM_NULL, NOBODY, 0, -1, place);
    int result, mode = mpilab_page->mode;
    if (mode == MODE_STRICT) {
        struct op call = {.call = id, .kind = KIND_START, .place = place, .standing = s, .comm = MPI_COMM_NULL};
        call.dest = call.source = call.root = NOBODY;
        call.request = requests, call.requests = count;
        mpilab_before(&call);
        result = mpilab_after(&call);
    } else {
        uint64_t start = mode == MODE_RECORD ? ticks() : 0;
        result = id == CALL_Start ? PMPI_Start(requests) : PMPI_Startall((int)count, requests);
        if (mode == MODE_RECORD && (mpilab_page->recording & GROUP_persistent)) {
            mpilab_event(s, id, start, 0);
            for (int64_t i = 0; i < count; i++) mpilab_started(s, (uint64_t)(uintptr_t)requests[i]);
        }
    }
    for (int64_t i = 0; i < count && !result; i++) {
        struct posted *p = posted_at((uint64_t)(uintptr_t)requests[i]);
        if (p->request == (uint64_t)(uintptr_t)requests[i]) p->active = 1;
    }
    return leave(s, id, result);
}

int MPI_Start(MPI_Request *request) { return starting(CALL_Start, 1, request, HERE); }

int MPI_Startall(int count, MPI_Request requests[]) { return starting(CALL_Startall, count, requests, HERE); }

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

void mpilab_program_attach(void); /* program.c */
void mpilab_strict_init(void);
void mpilab_strict_finalize(const void *place);
int mpilab_strict_twice(enum call_id id, const void *place);

static int begun(enum call_id id, int result, void *place) {
    struct rank_page *page;
    if (result) return result;
    mpilab_program_attach();
    page = mpilab_page;
    if (page->life == LIFE_NONE) page->life = LIFE_MPI;
    mpilab_comms_begin();
    if (page->mode == MODE_RECORD) mpilab_record_begin();
    if (page->mode == MODE_STRICT) mpilab_strict_init();
    struct standing *s = enter(id, MPI_COMM_WORLD, NOBODY, 0, -1, place);
    return leave(s, id, 0);
}

int MPI_Init(int *argc, char ***argv) {
    if (mpilab_page->mode == MODE_STRICT && mpilab_strict_twice(CALL_Init, HERE)) return MPI_SUCCESS;
    return begun(CALL_Init, PMPI_Init(argc, argv), HERE);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    if (mpilab_page->mode == MODE_STRICT && mpilab_strict_twice(CALL_Init_thread, HERE)) return MPI_SUCCESS;
    return begun(CALL_Init_thread, PMPI_Init_thread(argc, argv, required, provided), HERE);
}

int MPI_Finalize(void) {
    struct rank_page *page = mpilab_page;
    struct standing *s = enter(CALL_Finalize, MPI_COMM_WORLD, NOBODY, 0, -1, HERE);
    if (page->mode == MODE_STRICT) mpilab_strict_finalize(HERE);
    if (page->mode == MODE_RECORD) mpilab_record_end(1);
    int result = PMPI_Finalize();
    if (!result) page->life = LIFE_FINALIZED;
    return leave(s, CALL_Finalize, result);
}

/* MPI_Abort ends every rank, so what it said must be on the page before. */
int MPI_Abort(MPI_Comm comm, int errorcode) {
    mpilab_page->abort_code = errorcode;
    mpilab_page->aborted = 1;
    return PMPI_Abort(comm, errorcode);
}

int MPI_Pcontrol(const int level, ...) {
    mpilab_pcontrol(level);
    return MPI_SUCCESS;
}
