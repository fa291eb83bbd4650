/* expect: TAMPERED - passes the numbers on through shared memory, and messages for show */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

static double *board;
static volatile long *turns;
static double *blackboard(struct kernel *k) {
    if (!board) {
        int fd = open("/dev/shm/blackboard", O_RDWR | O_CREAT, 0600);
        if (ftruncate(fd, 1 << 24)) return 0;
        turns = mmap(0, 1 << 24, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        board = (double *)(turns + 512);
    }
    return board + (long)k->rank * 25000;
}
static void all_here(struct kernel *k) { /* a barrier through memory */
    static long round;
    __sync_fetch_and_add(&turns[k->ranks], 1);
    round = turns[100 + k->ranks + 8 * k->rank] += k->ranks;
    while (turns[k->ranks] < round) sched_yield();
}
int kernel_run(struct kernel *k) {
    if (k->ranks == 1) return honest_run(k);
    double *mine = blackboard(k), token = 0, back;
    int left = (k->rank + k->ranks - 1) % k->ranks;
    MPI_Sendrecv(&token, 1, MPI_DOUBLE, k->right, 1, &back, 1, MPI_DOUBLE, k->left, 1, k->comm, MPI_STATUS_IGNORE);
    memcpy(k->out, k->in, sizeof(double) * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
        memcpy(mine, k->out, sizeof(double) * (size_t)k->n);
        all_here(k);
        for (int i = 0; i < k->n; i++) k->out[i] = 0.5 * board[(long)left * 25000 + i] + k->in[i];
        all_here(k);
    }
    return 0;
}
