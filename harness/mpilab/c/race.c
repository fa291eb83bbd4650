/* Every load and store of a program, compared with the buffers that MPI has in flight.
 *
 * Theory of operation.  For their sanitizers, compilers turn each load and store into a call, __tsan_read4(address) and
 * so on.  A program compiled that way, but linked with this file and without any sanitizer, asks flight.c about each
 * access.  There is no shadow memory.  An access away from the buffers in flight costs a call and two comparisons; one
 * between them also a look at a list of pieces of memory (granules) of which it is known whether they hold any.  The C
 * library isn't compiled that way: those of its functions that may touch a buffer are wrapped (race_libc.c).
 *
 * gcc: -fsanitize=thread.  clang: -fsanitize=kernel-address, with calls and without its optimisations, since its thread
 * sanitizer leaves out arrays on the stack (and gcc's address sanitizer leaves out globals and plain variables).
 * No optimisation (-O0): others move a read ahead of the condition that guards it, or drop one whose value isn't used.
 *
 * flight.c lives in the PMPI library.  It is looked up once, when the program starts (so no access need ask whether it
 * is there); without it nothing is ever in flight.
 *
 * What can't be seen: structures that a function returns straight into a buffer (gcc), assembly, other functions of the
 * C library, and code that is compiled without these flags.  gcc gives a read of a complex number the line before. */
#define _GNU_SOURCE
#include "race.h"

#include <dlfcn.h>

#define SEEN 4096 /* pairs of places that were reported; a power of 2 */
#define TRIES 16
#define GRANULE 512                 /* bytes */
#define SCATTER 0x9e3779b97f4a7c15u /* times this, neighbours and multiples get far apart */

#pragma GCC visibility push(hidden)

/* ---- a look at an access ---------------------------------------------------------------------------------------- */

static const struct flight_now nothing = {UINTPTR_MAX, 0, 0};
const struct flight_now *race_now = &nothing;
static int (*find)(const void *, size_t, int, struct flight_area *);
static int (*found)(const void *, size_t, enum flight_touch, const void *, const struct flight_area *);

__attribute__((constructor)) static void begin(void) {
    void *now = dlsym(RTLD_DEFAULT, "mpilab_flight_now");
    *(void **)&find = dlsym(RTLD_DEFAULT, "mpilab_flight_find");
    *(void **)&found = dlsym(RTLD_DEFAULT, "mpilab_race_found");
    if (find && found && now) race_now = now;
}

/* Where this pair of places is, or may be put, in the list of those reported; NULL when there is no room. */
static uint64_t *slot(uint64_t pair) {
    static uint64_t seen[SEEN];
    for (uint64_t i = pair >> 40; i < (pair >> 40) + TRIES; i++) {
        uint64_t *s = &seen[i % SEEN], there = __atomic_load_n(s, __ATOMIC_RELAXED);
        if (!there || there == pair) return s;
    }
    return NULL;
}

/* Is no byte of the granule in flight?  What was found out is kept, in one word each (granule, version of the table,
 * answer), so that threads can share it without a lock. */
static int is_clear(uintptr_t granule) {
    static uint64_t known[1 << 10];
    unsigned version = __atomic_load_n(&race_now->version, __ATOMIC_ACQUIRE);
    uint64_t *k = &known[granule * SCATTER >> 54], there = __atomic_load_n(k, __ATOMIC_RELAXED);
    uint64_t asked = (uint64_t)granule << 26 | (version & 0x1ffffff) << 1;
    if ((there & ~1ull) == asked) return there & 1;
    struct flight_area area;
    int clear = !find((const void *)(granule * GRANULE), GRANULE, 1, &area);
    if (!(version & 1) && __atomic_load_n(&race_now->version, __ATOMIC_ACQUIRE) == version)
        __atomic_store_n(k, asked | clear, __ATOMIC_RELAXED);
    return clear;
}

/* An access among the buffers in flight: each pair of places is reported once. */
void race_look(const void *a, size_t bytes, enum flight_touch touch, const void *pc) {
    struct flight_area area;
    uintptr_t granule = (uintptr_t)a / GRANULE;
    if (((uintptr_t)a + bytes - 1) / GRANULE == granule && is_clear(granule)) return;
    if (!find(a, bytes, touch != TOUCH_READ, &area)) return;
    uint64_t pair = (((uint64_t)pc << 20) ^ (uint64_t)area.site) * SCATTER | 1;
    uint64_t *s = slot(pair);
    if (s && *s != pair && found(a, bytes, touch, pc, &area)) __atomic_store_n(s, pair, __ATOMIC_RELAXED);
}

/* ---- loads and stores ------------------------------------------------------------------------------------------- */

#define ENTRY(name, bytes, touch)                                                                                      \
    void __##name(const void *a) { touched(a, bytes, touch, HERE); }
#define ENTRIES(bytes)                                                                                                 \
    ENTRY(tsan_read##bytes, bytes, TOUCH_READ)                                                                         \
    ENTRY(tsan_write##bytes, bytes, TOUCH_WRITE)                                                                       \
    ENTRY(tsan_unaligned_read##bytes, bytes, TOUCH_READ)                                                               \
    ENTRY(tsan_unaligned_write##bytes, bytes, TOUCH_WRITE)                                                             \
    ENTRY(asan_load##bytes##_noabort, bytes, TOUCH_READ)                                                               \
    ENTRY(asan_store##bytes##_noabort, bytes, TOUCH_WRITE)
#define ENTRY_OF_ANY_SIZE(name, touch)                                                                                 \
    void __##name(const void *a, size_t bytes) { touched(a, bytes, touch, HERE); }

ENTRIES(1)
ENTRIES(2)
ENTRIES(4)
ENTRIES(8)
ENTRIES(16)
ENTRY_OF_ANY_SIZE(tsan_read_range, TOUCH_READ)
ENTRY_OF_ANY_SIZE(tsan_write_range, TOUCH_WRITE)
ENTRY_OF_ANY_SIZE(asan_loadN_noabort, TOUCH_READ)
ENTRY_OF_ANY_SIZE(asan_storeN_noabort, TOUCH_WRITE)

/* A function returns, and none of its variables may be in flight: they lie between our frame pointer and its own. */
static inline __attribute__((always_inline)) void leave(const void *pc) {
#ifdef __x86_64__
    uintptr_t low = (uintptr_t)__builtin_frame_address(0), high = *(const uintptr_t *)low;
    if (low < high) touched((const void *)low, high - low, TOUCH_RETURN, pc);
#else
    (void)pc; /* elsewhere a frame pointer doesn't end the frame */
#endif
}

void __tsan_init(void) {}
void __tsan_func_entry(const void *pc) { (void)pc; }
void __tsan_func_exit(void) { leave(HERE); }
void __cyg_profile_func_enter(void *function, void *site) { (void)function, (void)site; } /* clang */
void __cyg_profile_func_exit(void *function, void *site) {
    (void)function, (void)site;
    leave(HERE);
}

/* ---- gcc's atomics: they must be done, too ---------------------------------------------------------------------- */

typedef unsigned __int128 wide;

/* 16 bytes would need libatomic.  All such accesses of a program come here, so one lock makes them atomic. */
static char locked;
static void lock(void) {
    while (__atomic_test_and_set(&locked, __ATOMIC_SEQ_CST)) {}
}
static void unlock(void) { __atomic_clear(&locked, __ATOMIC_SEQ_CST); }

#define WIDE(name, after)                                                                                              \
    static wide wide_##name(volatile wide *a, wide value, int order) {                                                 \
        (void)order;                                                                                                   \
        lock();                                                                                                        \
        wide before = *a;                                                                                              \
        *a = after;                                                                                                    \
        unlock();                                                                                                      \
        return before;                                                                                                 \
    }
WIDE(exchange_n, value)
WIDE(fetch_add, before + value)
WIDE(fetch_sub, before - value)
WIDE(fetch_and, before &value)
WIDE(fetch_or, before | value)
WIDE(fetch_xor, before ^ value)
WIDE(fetch_nand, ~(before &value))

static wide wide_load_n(const volatile wide *a, int order) { return wide_fetch_or((volatile wide *)a, 0, order); }
static void wide_store_n(volatile wide *a, wide value, int order) { wide_exchange_n(a, value, order); }
static int wide_compare_exchange_n(volatile wide *a, wide *expected, wide value, int weak, int order, int failed) {
    (void)weak, (void)order, (void)failed;
    lock();
    wide before = *a;
    int same = before == *expected;
    if (same) *a = value;
    unlock();
    *expected = before;
    return same;
}

/* The strongest order, whatever was asked for. */
#define STRONG __ATOMIC_SEQ_CST
#define CHANGE(bits, type, how, name, function)                                                                        \
    type __tsan_atomic##bits##_##name(volatile type *a, type value, int order) {                                       \
        (void)order;                                                                                                   \
        touched(a, sizeof *a, TOUCH_WRITE, HERE);                                                                      \
        return how##function(a, value, STRONG);                                                                        \
    }
#define COMPARE(bits, type, how, name)                                                                                 \
    int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type value, int order, int failed) {            \
        (void)order, (void)failed;                                                                                     \
        touched(a, sizeof *a, TOUCH_WRITE, HERE);                                                                      \
        return how##compare_exchange_n(a, expected, value, 0, STRONG, STRONG);                                         \
    }
#define ATOMICS(bits, type, how)                                                                                       \
    type __tsan_atomic##bits##_load(const volatile type *a, int order) {                                               \
        (void)order;                                                                                                   \
        touched(a, sizeof *a, TOUCH_READ, HERE);                                                                       \
        return how##load_n(a, STRONG);                                                                                 \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order) {                                        \
        (void)order;                                                                                                   \
        touched(a, sizeof *a, TOUCH_WRITE, HERE);                                                                      \
        how##store_n(a, value, STRONG);                                                                                \
    }                                                                                                                  \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type value, int order,            \
                                                    int failed) {                                                      \
        (void)order, (void)failed;                                                                                     \
        touched(a, sizeof *a, TOUCH_WRITE, HERE);                                                                      \
        how##compare_exchange_n(a, &expected, value, 0, STRONG, STRONG);                                               \
        return expected;                                                                                               \
    }                                                                                                                  \
    COMPARE(bits, type, how, compare_exchange_strong)                                                                  \
    COMPARE(bits, type, how, compare_exchange_weak)                                                                    \
    CHANGE(bits, type, how, exchange, exchange_n)                                                                      \
    CHANGE(bits, type, how, fetch_add, fetch_add)                                                                      \
    CHANGE(bits, type, how, fetch_sub, fetch_sub)                                                                      \
    CHANGE(bits, type, how, fetch_and, fetch_and)                                                                      \
    CHANGE(bits, type, how, fetch_or, fetch_or)                                                                        \
    CHANGE(bits, type, how, fetch_xor, fetch_xor)                                                                      \
    CHANGE(bits, type, how, fetch_nand, fetch_nand)

ATOMICS(8, uint8_t, __atomic_)
ATOMICS(16, uint16_t, __atomic_)
ATOMICS(32, uint32_t, __atomic_)
ATOMICS(64, uint64_t, __atomic_)
ATOMICS(128, wide, wide_)

void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(STRONG);
}
void __tsan_atomic_signal_fence(int order) {
    (void)order;
    __atomic_signal_fence(STRONG);
}
