/* The control page: what each rank publishes while it runs, readable by others even when the rank hangs or dies.
 *
 * One file of `struct rank_page`s, one a rank, mapped shared.  A rank writes only its own; whoever watches reads,
 * and writes only `forked` and `recording`.
 * The Python mirror is page.py; an engine refuses to start when the two disagree about the size. */
#ifndef MPILAB_PAGE_H
#define MPILAB_PAGE_H

#include <stdint.h>

enum call_id {
    CALL_NONE,
#define CALL(group, name, kind) CALL_##name,
#define CALLS(group, name, kind) CALL_##name, CALL_##name##_c,
#include "calls.def"
#undef CALL
#undef CALLS
    CALL_COUNT
};

enum phase { PHASE_IDLE, PHASE_LOAD, PHASE_INIT, PHASE_RUN, PHASE_FREE, PHASE_WAIT }; /* WAIT: for the other ranks */
enum life { LIFE_NONE, LIFE_MPI, LIFE_FINALIZED, LIFE_EXITED }; /* before MPI_Init, between, after; + EXITED at exit */

#define PAGE_FRAMES 16
#define PAGE_CALLS 512 /* at least CALL_COUNT */
#define PAGE_ROOM 7
#define PAGE_POSTED_ROOM 2
#define PAGE_SPARE 5
#define PAGE_TEXT 512
#define PAGE_THREADS 8    /* threads that call MPI at once; more share the last place */
#define PAGE_WAITS 16     /* requests of one waiting call that are shown */
#define PAGE_POSTED 1024  /* open operations that are shown: a table with one place for each hash of a handle */
#define PAGE_COMMS 64     /* communicators that are shown */
#define PAGE_MEMBERS 4096 /* ranks in all of them together */

/* Where a thread stands: the MPI call it is in, and what that waits for. */
struct standing {
    int32_t in_call; /* enum call_id, 0 outside MPI */
    int32_t peer;    /* rank in comm: destination, source or root */
    int32_t tag;
    int32_t comm;              /* index in comms[], or -1 */
    int32_t peer2;             /* the source of a Sendrecv */
    int32_t tag2;              /* and its tag */
    int64_t bytes;             /* of the message or, receiving, room for it; -1 unknown */
    uint64_t place;            /* where it was called: a return address */
    uint64_t entered;          /* MPI calls this thread has entered: stands still when it is stuck */
    uint64_t polls;            /* of them, tests and probes that said no: the others stand still when it only polls */
    int32_t waits;             /* requests of a Wait...: how many */
    int32_t any;               /* 1: one of them is enough */
    uint64_t wait[PAGE_WAITS]; /* their handles */
};

/* An open operation: posted, not yet known to be complete. */
struct posted {
    uint64_t request; /* its handle */
    int32_t call;     /* what posted it; 0: nothing here */
    int32_t peer, tag, comm;
    int64_t bytes;
    uint64_t place;
    int32_t turn;                    /* of a collective: which of its communicator's it is */
    int32_t active;                  /* 0: persistent and not started */
    uint64_t room[PAGE_POSTED_ROOM]; /* makes it a cache line: every call that posts writes one */
};

struct shown_comm {
    int32_t id;    /* the same on all its ranks */
    int32_t size;  /* ranks in it */
    int32_t first; /* members[first ... first + size - 1] are their ranks in MPI_COMM_WORLD */
    int32_t turns; /* collectives this rank has entered on it */
};

struct rank_page {
    int32_t pid;
    int32_t life;      /* enum life */
    int32_t mode;      /* enum mode of wrap.h: off, record, strict */
    int32_t recording; /* record mode: 1 while events are kept; may be written from outside */
    int32_t comm_count;
    int32_t member_count;
    int32_t any_source;      /* the MPI library's MPI_ANY_SOURCE */
    int32_t proc_null;       /* and MPI_PROC_NULL */
    int32_t any_tag;         /* and MPI_ANY_TAG */
    int32_t room[PAGE_ROOM]; /* keeps what follows aligned to cache lines */
    struct standing threads[PAGE_THREADS];
    struct posted posted[PAGE_POSTED];
    struct shown_comm comms[PAGE_COMMS];
    int32_t members[PAGE_MEMBERS];
    int32_t thread_count;
    /* of the kernel that runs, cleared before each: */
    int32_t phase;                /* enum phase: what the host is doing with the kernel */
    int32_t signal;               /* the signal that killed it, or 0 */
    int32_t aborted;              /* 1: the kernel called MPI_Abort */
    int32_t abort_code;           /* with this code */
    int32_t exited;               /* 1: the kernel called exit() */
    int32_t forked;               /* 1: the kernel called fork() */
    int32_t error_call;           /* enum call_id: the first MPI call that failed */
    int32_t frame_count;          /* frames of the crash, innermost first */
    int32_t spare[PAGE_SPARE];    /* keeps what follows, and the next rank's page, aligned to cache lines */
    uint64_t frames[PAGE_FRAMES]; /* addresses, minus kernel_base */
    uint64_t kernel_base;         /* where the kernel's library is mapped */
    uint32_t calls[PAGE_CALLS];   /* how often the kernel made each call since mpilab_clear */
    char error_text[PAGE_TEXT];   /* MPI_Error_string of the first error */
    char crash_at[PAGE_TEXT];     /* a program's crash: places, innermost first, one a line */
};

_Static_assert(CALL_COUNT <= PAGE_CALLS, "make PAGE_CALLS larger, by a multiple of 16");
_Static_assert(sizeof(struct rank_page) % 64 == 0, "each rank's page begins at a cache line");

extern __attribute__((visibility("hidden"))) struct rank_page *volatile mpilab_page; /* a dummy before mpilab_attach */

#endif
