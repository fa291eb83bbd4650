/* Another thread touches the buffer, while a third posts and completes operations all the time. */
#include "../two.h"
#include <pthread.h>

static double in[N];
static volatile int over;

static void *post(void *unused) {
    double a[2], b[2] = {0};
    MPI_Request r[2];
    while (!over) {
        MPI_Irecv(a, 2, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &r[0]);
        MPI_Isend(b, 2, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        b[0] = a[0];
    }
    return unused;
}

static void *touch(void *unused) {
    static double mine[N];
    for (int i = 0; i < 1000 * N; i++) mine[i % N] = i;
    in[N - 1] = 1; /* RACE write */
    return unused;
}

int main(void) {
    int level;
    double out[N] = {0};
    pthread_t poster, toucher;
    MPI_Request r;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(W, &rank);
    peer = 1 - rank;
    MPI_Irecv(in, N, MPI_DOUBLE, peer, 0, W, &r);
    pthread_create(&poster, NULL, post, NULL);
    pthread_create(&toucher, NULL, touch, NULL);
    pthread_join(toucher, NULL);
    over = 1;
    pthread_join(poster, NULL);
    MPI_Send(out, N, MPI_DOUBLE, peer, 0, W);
    MPI_Wait(&r, DONE);
    MPI_Finalize();
}
