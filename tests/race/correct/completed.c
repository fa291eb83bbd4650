/* Buffers are used again as soon as their operation is complete: Waitany, Test, persistent requests, functions. */
#include "../two.h"
#define POOL 5

static double first(int tag) {
    double in[N], out[N] = {tag};
    MPI_Request r[2];
    MPI_Irecv(in, N, MPI_DOUBLE, peer, tag, W, &r[0]);
    MPI_Isend(out, N, MPI_DOUBLE, peer, tag, W, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    return in[0];
}

int main(void) {
    static double pool[POOL][N], out[N];
    double total = 0, *heap = malloc(sizeof out);
    MPI_Request r[POOL], send, again;
    int which, flag = 0;
    begin();
    for (int i = 0; i < POOL; i++) MPI_Irecv(pool[i], N, MPI_DOUBLE, peer, i, W, &r[i]);
    for (int i = POOL; i-- > 0;) MPI_Send(out, N, MPI_DOUBLE, peer, i, W);
    for (int i = 0; i < POOL; i++) {
        MPI_Waitany(POOL, r, &which, DONE);
        for (int k = 0; k < N; k++) total += pool[which][k]++;
    }
    MPI_Isend(out, N, MPI_DOUBLE, peer, 7, W, &send);
    MPI_Irecv(heap, N, MPI_DOUBLE, peer, 7, W, &r[0]);
    while (!flag) MPI_Test(&r[0], &flag, DONE);
    total += heap[0];
    heap = realloc(heap, 2 * sizeof out);
    free(heap);
    MPI_Wait(&send, DONE);
    MPI_Send_init(out, N, MPI_DOUBLE, peer, 8, W, &again);
    for (int i = 0; i < 3; i++) {
        out[0] = i;
        MPI_Start(&again);
        MPI_Recv(pool[0], N, MPI_DOUBLE, peer, 8, W, DONE);
        MPI_Wait(&again, DONE);
    }
    MPI_Request_free(&again);
    out[0] = total + first(9) + first(10);
    MPI_Finalize();
}
