/* expect: ok - jobs go to whoever answers first: ANY_SOURCE, and each answer is treated alike; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define JOB 1
#define STOP 2

static double work(int job) {
    double sum = 0;
    for (int i = 1; i < 1000 * (job % 7 + 1); i++) sum += 1.0 / i;
    return sum;
}

static void master(int workers, int jobs) {
    int next = 0;
    double result, sum = 0;
    MPI_Status status;
    for (int w = 1; w <= workers; w++, next++) MPI_Send(&next, 1, MPI_INT, w, JOB, MPI_COMM_WORLD);
    for (int got = 0; got < jobs; got++) {
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        sum += result;
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, next < jobs ? JOB : STOP, MPI_COMM_WORLD);
        next++;
    }
    printf("%d jobs, sum %.6f\n", jobs, sum);
}

static void worker(void) {
    MPI_Status status;
    int job;
    for (;;) {
        MPI_Recv(&job, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP) return;
        double result = work(job);
        MPI_Send(&result, 1, MPI_DOUBLE, 0, job, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size - 1, argc > 1 ? atoi(argv[1]) : 100);
    else
        worker();
    MPI_Finalize();
    return 0;
}
