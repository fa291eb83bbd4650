/* The buffers that MPI has in flight: between the call that posts an operation and the one that completes it.
 *
 * The PMPI library keeps them (flight.c); code compiled with the compiler's instrumentation asks about each of its
 * loads and stores (race.c), and the PMPI library asks about the buffers that MPI calls touch. */
#ifndef MPILAB_FLIGHT_H
#define MPILAB_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Some bytes of a buffer: all `bytes` from base on, or, when stride isn't 0, the first `block` of each `stride`. */
struct flight_block {
    const void *base;
    size_t bytes, block, stride;
};

/* A block in flight, as flight_find gives it. */
struct flight_area {
    uintptr_t low, high;  /* its bytes lie in [low, high) ... */
    size_t block, stride; /* ... as in flight_block */
    uintptr_t reach;      /* the largest `high` of all areas up to this one */
    const void *site;     /* where the operation was posted */
    int op;               /* the operation's number */
    int write;            /* enum flight_use */
};

/* READ: MPI reads it, nobody else may write it.  WRITE: MPI writes it, nobody else may touch it.  WINDOW: the memory of a
 * window, which may be touched, and who does is told; it is found only where nothing else is in the way. */
enum flight_use { FLIGHT_READ, FLIGHT_WRITE, FLIGHT_WINDOW };

/* For a quick look before any call: all areas lie in [low, high), which is empty when nothing is in flight; `version`
 * counts the changes, two for each, and is odd while one is being made. */
struct flight_now {
    uintptr_t low, high;
    unsigned version;
};
extern struct flight_now mpilab_flight_now;

/* How a program touches memory, for mpilab_race_found. */
enum flight_touch { TOUCH_READ, TOUCH_WRITE, TOUCH_FREE, TOUCH_RETURN }; /* RETURN: the variable's function returns */

/* `count` blocks, in any order, are in flight for operation `op`, which was posted at `site` (a return address);
 * `write` is a flight_use.  An operation may add blocks several times.  Returns 0, or -1 when there is no memory left. */
int mpilab_flight_add(const struct flight_block *blocks, size_t count, int write, int op, const void *site);

/* Operation `op` is complete: all its blocks have landed.  No such operation: nothing happens. */
void mpilab_flight_remove(int op);

/* Is it wrong now to read (write = 0) or write the `bytes` at `base`?  Returns 1 and an area in the way, or 0. */
int mpilab_flight_find(const void *base, size_t bytes, int write, struct flight_area *found);

/* The same for blocks. */
int mpilab_flight_find_blocks(const struct flight_block *blocks, size_t count, int write, struct flight_area *found);

/* Written by the PMPI library, called by race.c: code at `pc` (a return address) touched `bytes` at `address`, which
 * `area` has in flight.  Returns 1 when that is reported, and needn't be said again for this pc and area->site; or 0
 * when it is nothing (MPI itself called the code: a user's reduction, say). */
int mpilab_race_found(const void *address, size_t bytes, enum flight_touch touch, const void *pc,
                      const struct flight_area *area);

#endif
