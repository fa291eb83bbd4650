/* expect: ok - MPI_THREAD_MULTIPLE: four threads a rank, each with a tag of its own; ranks: 2 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#define THREADS 4
#define ROUNDS 50

static int rank, result[THREADS];

static void *exchange(void *argument) {
    int id = *(int *)argument, in = 0, out = rank;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request[2];
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, id, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, id, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        out = in + id;
    }
    result[id] = out;
    return NULL;
}

int main(int argc, char **argv) {
    int provided, ids[THREADS];
    pthread_t thread[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        pthread_create(&thread[i], NULL, exchange, &ids[i]);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    printf("rank %d: %d %d\n", rank, result[0], result[THREADS - 1]);
    MPI_Finalize();
    return 0;
}
