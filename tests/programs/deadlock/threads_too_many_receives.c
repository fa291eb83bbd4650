/* expect: deadlock - two threads receive the same message, of which there is one; ranks: 2; line: 9 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int value[2];

static void *receive(void *slot) {
    MPI_Recv(slot, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv) {
    int rank, provided;
    pthread_t thread[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, receive, &value[i]);
        for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    printf("rank %d: %d\n", rank, value[0] + value[1]);
    MPI_Finalize();
    return 0;
}
