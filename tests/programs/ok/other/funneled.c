/* expect: ok - MPI_THREAD_FUNNELED: the main thread communicates while another computes on other data; ranks: 2 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#define N 100000

static double halo[N], inner[N];

static void *compute(void *unused) {
    (void)unused;
    for (int sweep = 0; sweep < 20; sweep++)
        for (int i = 1; i < N - 1; i++) inner[i] = 0.5 * (inner[i - 1] + inner[i + 1]) + 1;
    return NULL;
}

int main(int argc, char **argv) {
    int rank, provided;
    pthread_t thread;
    MPI_Request request[2];
    static double out[N];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out[N - 1] = rank;
    MPI_Irecv(halo, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    pthread_create(&thread, NULL, compute, NULL);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    double got = halo[N - 1];
    pthread_join(thread, NULL);
    printf("rank %d: %g %g\n", rank, got, inner[N / 2]);
    MPI_Finalize();
    return 0;
}
