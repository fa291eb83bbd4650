/* The buffer ends before the operation: its function returns, it is freed, its scope begins again. */
#include "../two.h"

static MPI_Request r[6];

static void greet(void) {
    int hello[8] = {0};
    MPI_Isend(hello, 8, MPI_INT, peer, 0, W, &r[0]);
} /* RACE return */

static void number(int k) {
    int x = k; /* RACE write */
    MPI_Isend(&x, 1, MPI_INT, peer, 3 + k, W, &r[3 + k]);
} /* RACE return */

int main(void) {
    int in[8], one, two;
    int *heap = malloc(sizeof in), *more = malloc(sizeof in);
    begin();
    greet();
    MPI_Irecv(heap, 8, MPI_INT, peer, 1, W, &r[1]);
    MPI_Irecv(more, 8, MPI_INT, peer, 2, W, &r[2]);
    free(heap);                 /* RACE free */
    more = realloc(more, 9999); /* RACE free */
    MPI_Send(in, 8, MPI_INT, peer, 1, W);
    MPI_Send(in, 8, MPI_INT, peer, 2, W);
    MPI_Recv(in, 8, MPI_INT, peer, 0, W, DONE);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    number(0);
    number(1);
    MPI_Recv(&one, 1, MPI_INT, peer, 3, W, DONE);
    MPI_Recv(&two, 1, MPI_INT, peer, 4, W, DONE);
    MPI_Waitall(2, r + 3, MPI_STATUSES_IGNORE);
    free(more);
    MPI_Finalize();
}
