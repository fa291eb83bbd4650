/* expect: buffer-race - a thread refills the array that the main thread is sending; ranks: 2; line: 11 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#define N 500

static double field[N];

static void *refill(void *unused) {
    (void)unused;
    for (int i = 0; i < N; i++) field[i] = 2 * i;
    return NULL;
}

int main(int argc, char **argv) {
    int rank, provided;
    double in[N];
    pthread_t thread;
    MPI_Request request[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(in, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(field, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    pthread_create(&thread, NULL, refill, NULL);
    pthread_join(thread, NULL);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %g\n", rank, in[N - 1]);
    MPI_Finalize();
    return 0;
}
