/* The control page: what each rank publishes while it runs, readable by the runner even when the rank hangs or dies.
 *
 * One file of `struct rank_page`s, one a rank, mapped shared.  A rank writes only its own; the runner reads,
 * and writes only `forked`.
 * The Python mirror is page.py; an engine refuses to start when the two disagree about the size. */
#ifndef MPILAB_PAGE_H
#define MPILAB_PAGE_H

#include <stdint.h>

enum call_id {
    CALL_NONE,
#define CALL(group, name, params, args) CALL_##name,
#include "calls.def"
#undef CALL
    CALL_COUNT
};

enum phase { PHASE_IDLE, PHASE_LOAD, PHASE_INIT, PHASE_RUN, PHASE_FREE, PHASE_WAIT }; /* WAIT: for the other ranks */

#define PAGE_FRAMES 16
#define PAGE_TEXT 512

struct rank_page {
    int32_t pid;
    int32_t phase;                /* enum phase: what the host is doing with the kernel */
    int32_t in_call;              /* enum call_id: the MPI call this rank is in, 0 outside MPI */
    int32_t signal;               /* the signal that killed it, or 0 */
    int32_t aborted;              /* 1: the kernel called MPI_Abort */
    int32_t abort_code;           /* with this code */
    int32_t exited;               /* 1: the kernel called exit() */
    int32_t forked;               /* 1: the kernel called fork() */
    int32_t error_call;           /* enum call_id: the first MPI call that failed */
    int32_t frame_count;          /* frames of the crash, innermost first */
    uint64_t frames[PAGE_FRAMES]; /* addresses, minus kernel_base */
    uint64_t kernel_base;         /* where the kernel's library is mapped */
    uint64_t entered;             /* MPI calls entered so far: stands still when a rank is stuck */
    uint32_t calls[CALL_COUNT];   /* how often the kernel made each call since mpilab_clear */
    char error_text[PAGE_TEXT];   /* MPI_Error_string of the first error */
};

extern struct rank_page *volatile mpilab_page; /* never NULL: a dummy before mpilab_attach */

#endif
