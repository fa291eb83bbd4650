/* One-sided communication in strict mode: what rma.c (epochs) and window.c (memory) share. */
#ifndef MPILAB_RMA_H
#define MPILAB_RMA_H

#include "strict.h"

/* Bytes of a window: `count` blocks of `bytes`, one every `stride`, the first at `first`. */
struct run {
    int64_t first, bytes, stride, count;
};

enum { RUNS = 32 };
struct runs {
    int count, whole; /* whole 0: there were more */
    struct run list[RUNS];
};

/* An access whose buffers are not the program's again. */
struct pending {
    int target, request; /* request: the id of its operation, which has the guard; 0: it is here */
    enum call_id call;
    long number;
    struct guard guard;
    struct pending *next;
};

enum epoch { EPOCH_NONE, EPOCH_FENCE, EPOCH_START, EPOCH_LOCK, EPOCH_LOCK_ALL };

struct window {
    MPI_Win win;
    int id, flavor, size, rank;
    int64_t *bytes, *unit; /* of each rank's memory */
    char *base;            /* of this rank's */
    int watched;           /* under this number, in flight.c */
    enum epoch epoch;      /* this rank's accesses are in; a fence may have begun one */
    const char *opened;    /* where */
    long accesses;         /* in it */
    char *started, *held;  /* by rank: in the group of Win_start; locked */
    int locks;
    const char *posted; /* where the exposure epoch began, or NULL */
    int *flights;       /* by rank: under which number the buffers of accesses to it are in flight */
    struct pending *pending;
    long pending_count;
    struct window *next;
};

struct window *mpilab_window(MPI_Win win); /* NULL: not known */
struct window *mpilab_windows(void);       /* the first of all */
void mpilab_window_forget(struct window *w);
int mpilab_flight_number(void); /* never one of requests.c */
/* The bytes of its target's window that the access `op` touches. */
struct runs mpilab_target_runs(const struct op *op, const struct window *w);

#endif
