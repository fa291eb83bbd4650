/* Inside the race detector: a look at an access, for race.c (loads and stores) and race_libc.c (the C library). */
#ifndef MPILAB_RACE_H
#define MPILAB_RACE_H

#include "flight.h"

#define HERE __builtin_return_address(0)

#pragma GCC visibility push(hidden) /* so that calls are direct in a library, too */

extern const struct flight_now *race_now; /* never NULL */

/* An access among the buffers in flight is looked at closely, and reported if it is wrong. */
void race_look(const void *a, size_t bytes, enum flight_touch touch, const void *pc);

static inline __attribute__((always_inline)) void touched(const volatile void *a, size_t bytes, enum flight_touch touch,
                                                          const void *pc) {
    uintptr_t low = (uintptr_t)a;
    if (__builtin_expect(low < __atomic_load_n(&race_now->high, __ATOMIC_RELAXED), 0) &&
        low + bytes > __atomic_load_n(&race_now->low, __ATOMIC_RELAXED))
        race_look((const void *)a, bytes, touch, pc);
}

#pragma GCC visibility pop

#endif
