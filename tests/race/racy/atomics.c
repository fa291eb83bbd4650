/* Atomic, volatile and unaligned accesses are accesses, and are still done. */
#include "../two.h"
#include <stdatomic.h>

#pragma pack(1)
struct packed {
    char c;
    double d;
    short s;
};
#pragma pack()

static _Atomic int counter, sent;
static _Atomic unsigned char small;
static _Atomic long wanted = 5;
static volatile int flag;
static struct packed packed;

int main(void) {
    MPI_Request r[8];
    int seven = 7, data[4] = {0};
    long five = 5, nine = 9;
    begin();
    MPI_Irecv((void *)&counter, 1, MPI_INT, peer, 0, W, &r[0]);
    MPI_Irecv((void *)&small, 1, MPI_BYTE, peer, 1, W, &r[1]);
    MPI_Irecv((void *)&wanted, 1, MPI_LONG, peer, 2, W, &r[2]);
    MPI_Irecv((void *)&flag, 1, MPI_INT, peer, 3, W, &r[3]);
    MPI_Irecv(&packed, sizeof packed, MPI_BYTE, peer, 4, W, &r[4]);
    MPI_Isend((void *)&sent, 1, MPI_INT, peer, 5, W, &r[5]);
    seven += sent;
    counter = 1;                                                         /* RACE write */
    counter++;                                                           /* RACE write */
    seven += atomic_fetch_add(&counter, 5);                              /* RACE write */
    atomic_fetch_or(&small, 3);                                          /* RACE write */
    atomic_exchange(&sent, 3);                                           /* RACE write */
    if (!atomic_compare_exchange_strong(&wanted, &five, nine)) return 1; /* RACE write */
    if (atomic_compare_exchange_weak(&wanted, &five, nine)) return 1;    /* RACE write */
    seven += atomic_load(&counter);                                      /* RACE read */
    flag = 1;                                                            /* RACE write */
    if (flag) seven++;                                                   /* RACE read */
    packed.d = 1;                                                        /* RACE write */
    packed.s = 1;                                                        /* RACE write */
    atomic_thread_fence(memory_order_seq_cst);
    printf("%d %ld\n", seven, five);
    MPI_Send(data, 1, MPI_INT, peer, 0, W);
    MPI_Send(data, 1, MPI_BYTE, peer, 1, W);
    MPI_Send(data, 1, MPI_LONG, peer, 2, W);
    MPI_Send(data, 1, MPI_INT, peer, 3, W);
    MPI_Send(data, sizeof packed, MPI_BYTE, peer, 4, W);
    MPI_Recv(data, 1, MPI_INT, peer, 5, W, DONE);
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
