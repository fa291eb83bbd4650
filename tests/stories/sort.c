/* The communication of a bucket sort of integer keys: in each iteration the ranks add up how many keys each
 * bucket has (Allreduce), tell each other how many they will send (Alltoall), and send them (Alltoallv).  What comes before
 * takes each rank another time, which is slept; the keys are put into buckets only once.  One iteration to warm up, then
 * those asked for.
 *
 *     sort [iterations [keys of a rank [milliseconds of unevenness]]] */
#include <mpi.h>
#include <mpilab.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUCKETS = 1024, KEY_BITS = 20 };

static void compute(double ms) {
    struct timespec t = {.tv_sec = (time_t)(ms / 1e3), .tv_nsec = (long)(ms * 1e6) % 1000000000};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv) {
    int iterations = argc > 1 ? atoi(argv[1]) : 10, keys = argc > 2 ? atoi(argv[2]) : 500000, rank, size;
    double ms = argc > 3 ? atof(argv[3]) : 60;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t room = 2 * (size_t)keys;
    int *key = malloc(sizeof *key * (size_t)keys), *sorted = malloc(sizeof *key * (size_t)keys);
    int *came = malloc(sizeof *key * room), local[BUCKETS], global[BUCKETS];
    int *counts = malloc(sizeof *key * 4 * (size_t)size);
    int *sent = counts, *from = counts + size, *got = counts + 2 * size, *to = counts + 3 * size;
    unsigned seed = (unsigned)rank + 1;
    for (int i = 0; i < keys; i++) key[i] = rand_r(&seed) & ((1 << KEY_BITS) - 1);
    memset(local, 0, sizeof local);
    for (int k = 0; k < keys; k++) local[key[k] >> (KEY_BITS - 10)]++;
    int start[BUCKETS], sum = 0;
    for (int b = 0; b < BUCKETS; b++) start[b] = sum, sum += local[b];
    for (int k = 0; k < keys; k++) sorted[start[key[k] >> (KEY_BITS - 10)]++] = key[k];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i <= iterations; i++) {
        mpilab_region_begin(i ? "iteration" : "warm-up");
        compute(ms * rand_r(&seed) / RAND_MAX);
        MPI_Allreduce(local, global, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        memset(sent, 0, sizeof *sent * (size_t)size);
        for (int b = 0; b < BUCKETS; b++) sent[b * size / BUCKETS] += local[b]; /* as many buckets for each rank */
        MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
        from[0] = to[0] = 0;
        for (int r = 1; r < size; r++) from[r] = from[r - 1] + sent[r - 1], to[r] = to[r - 1] + got[r - 1];
        if ((size_t)(to[size - 1] + got[size - 1]) > room) MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Alltoallv(sorted, sent, from, MPI_INT, came, got, to, MPI_INT, MPI_COMM_WORLD);
        mpilab_region_end();
    }
    free(key), free(sorted), free(came), free(counts);
    MPI_Finalize();
    return 0;
}
