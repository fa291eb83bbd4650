/* Atomic operations are done as before, in all sizes. */
#include "../two.h"
#include <stdatomic.h>

#define CHECK(type)                                                                                                    \
    {                                                                                                                  \
        static _Atomic type a = 12;                                                                                    \
        type old = 20;                                                                                                 \
        int right = atomic_exchange(&a, 6) == 12 && atomic_fetch_add(&a, 5) == 6 && atomic_fetch_sub(&a, 1) == 11 &&   \
                    atomic_fetch_or(&a, 5) == 10 && atomic_fetch_and(&a, 6) == 15 && atomic_fetch_xor(&a, 5) == 6 &&   \
                    atomic_load(&a) == 3 && !atomic_compare_exchange_strong(&a, &old, 1) && old == 3 &&                \
                    atomic_compare_exchange_strong(&a, &old, 1) && atomic_load(&a) == 1;                               \
        atomic_store(&a, 2);                                                                                           \
        if (!right || a++ != 2 || a != 3) return sizeof a;                                                             \
    }

int main(void) {
    MPI_Request r[2];
    static char in[N], out[N];
    static int old_style = 7;
    begin();
    MPI_Irecv(in, N, MPI_CHAR, peer, 0, W, &r[0]);
    MPI_Isend(out, N, MPI_CHAR, peer, 0, W, &r[1]);
    CHECK(unsigned char)
    CHECK(short)
    CHECK(int)
    CHECK(long)
#ifndef __clang__ /* which calls a library for these */
    CHECK(__int128)
#endif
    if (__sync_val_compare_and_swap(&old_style, 7, 8) != 7 || __sync_fetch_and_nand(&old_style, 8) != 8) return 1;
    if (old_style != ~8) return 1;
    atomic_thread_fence(memory_order_acquire);
    atomic_signal_fence(memory_order_release);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
