/* A send buffer is rewritten before the send is complete. */
#include "../two.h"

static double whole[N];

int main(void) {
    double in[N], stack[N] = {0}, *heap = calloc(N, sizeof *heap);
    MPI_Request r[6];
    begin();
    for (int i = 0; i < 3; i++) MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, peer, i, W, &r[i]);
    MPI_Isend(stack, 10, MPI_DOUBLE, peer, 0, W, &r[3]);
    MPI_Isend(whole, 10, MPI_DOUBLE, peer, 1, W, &r[4]);
    MPI_Isend(heap, 10, MPI_DOUBLE, peer, 2, W, &r[5]);
    stack[9] = 1; /* RACE write */
    stack[10] = 1;
    whole[0] = 1;      /* RACE write */
    heap[5] += 1;      /* RACE write */
    *(char *)heap = 1; /* RACE write */
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
    free(heap);
    MPI_Finalize();
}
