/* Measures this lab's baseline and reference under any MPI: driver BASELINE.so REFERENCE.so N:MODE:MESSAGES:SECONDS ...
 *
 * Theory of operation.  figures.py builds this file and the kernels with the mpicc of the MPI in question, starts two
 * ranks, and reads a line of JSON for each case.  A round is a short burst of MESSAGES messages with each kernel, in random
 * order, both on the same buffers: init, a barrier, the run that is timed, free; a burst lasts as long as on the slower
 * rank.  Then what the sender pays to start a message, apart from completing it: with a new request, with a persistent
 * one, and to make and free one.  Rounds go on for SECONDS.  driver.py is the same in mpi4py. */
#define _GNU_SOURCE
#include "kernel.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 120, MOST_ROUNDS = 4000, CLOCKS = 200, TRIES = 20 };

struct side {
    __typeof__(kernel_init) *init;
    __typeof__(kernel_run) *run;
    __typeof__(kernel_free) *free;
    double seconds, sum; /* of the last burst */
};

struct sample {
    double burst_s[2];             /* baseline, reference */
    double new_s, start_s, made_s; /* of one message */
};

static int rank;
static double clock_s; /* what a clock read takes */

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a clock read, undisturbed. */
static double clock_cost(void) {
    double best = 1, last = 0;
    for (int i = 0; i < TRIES; i++) {
        const double begin = now_s();
        for (int j = 0; j < CLOCKS; j++) last = now_s();
        if ((last - begin) / CLOCKS < best) best = (last - begin) / CLOCKS;
    }
    return best;
}

static void must(int fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "driver, rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Gives each rank a core of its own, whatever this MPI's mpiexec would do. */
static void bind_to_core(void) {
    cpu_set_t all, own;
    CPU_ZERO(&own);
    must(!sched_getaffinity(0, sizeof all, &all), "cannot see its cores");
    for (int cpu = 0, left = rank; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && left-- == 0) CPU_SET(cpu, &own);
    must(!sched_setaffinity(0, sizeof own, &own), "there is no core for it");
}

static void load(const char *path, struct side *side) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    must(library != NULL, "cannot load a kernel");
    *(void **)&side->init = dlsym(library, "kernel_init");
    *(void **)&side->run = dlsym(library, "kernel_run");
    *(void **)&side->free = dlsym(library, "kernel_free");
    must(side->init && side->run && side->free, "a kernel lacks a function");
}

static void burst(struct side *side, const struct kernel_shape *shape, const double *in, double *out) {
    struct kernel *self;
    must(!side->init(MPI_COMM_WORLD, shape, in, out, &self), "init failed");
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_s();
    int code = side->run(self);
    double seconds = now_s() - begin;
    must(!code && !side->free(&self), "run or free failed");
    MPI_Allreduce(&seconds, &side->seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    side->sum = out[0];
}

static void make(double *message, int n, int mode, MPI_Request *request) {
    (mode ? MPI_Ssend_init : MPI_Send_init)(message, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request);
}

/* Seconds to start one of `messages` messages, on the sender. */
static double start(double *message, int n, int mode, int persistent, long messages) {
    MPI_Request request;
    double inside = 0;
    if (rank == 0 && persistent) make(message, n, mode, &request);
    for (long i = 0; i < messages; i++) {
        if (rank == 1) {
            MPI_Recv(message, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        double begin = now_s();
        if (persistent)
            MPI_Start(&request);
        else
            (mode ? MPI_Issend : MPI_Isend)(message, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        inside += now_s() - begin - clock_s;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0 && persistent) MPI_Request_free(&request);
    return inside / (double)messages;
}

/* Seconds to make and free a request that is never started. */
static double make_and_free(double *message, int n, int mode, long times) {
    MPI_Request request;
    double begin = now_s();
    for (long i = 0; i < times; i++) {
        make(message, n, mode, &request);
        MPI_Request_free(&request);
    }
    return (now_s() - begin) / (double)times;
}

/* What rank 0 says of the next round, to both: which kernel begins, or -1 when time is up. */
static int next_round(double end, int rounds) {
    int first = now_s() < end && rounds < MOST_ROUNDS ? rand() % 2 : -1;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return first;
}

static void print(const struct kernel_shape *shape, int mode, const double *sums, const struct sample *s, int rounds) {
    printf("{\"n\": %ld, \"mode\": %d, \"messages\": %ld, ", shape->n, mode, shape->steps);
    printf("\"sums\": [%.17g, %.17g], \"rounds\": [", sums[0], sums[1]);
    for (int i = 0; i < rounds; i++, s++)
        printf("%s[%.10g, %.10g, %.10g, %.10g, %.10g]", i ? ", " : "", s->burst_s[0], s->burst_s[1], s->new_s,
               s->start_s, s->made_s);
    puts("]}");
    fflush(stdout);
}

static void measure(struct side sides[2], const struct kernel_shape *shape, int mode, double seconds) {
    static struct sample samples[MOST_ROUNDS];
    double *in = malloc(sizeof(double) * (size_t)shape->n_in), *out = malloc(sizeof(double) * (size_t)shape->n_out);
    must(in && out, "no memory for the buffers");
    in[0] = mode;
    for (long i = 1; i < shape->n_in; i++) in[i] = 0.5;
    memset(out, 0, sizeof(double) * (size_t)shape->n_out);
    int rounds = 0, n = (int)shape->n;
    long some = shape->steps / 4 + 1; /* messages to look at one by one */
    const double end = now_s() + seconds;
    for (int first; (first = next_round(end, rounds)) >= 0; rounds++) {
        struct sample *s = &samples[rounds];
        for (int i = 0; i < 2; i++) burst(&sides[(first + i) % 2], shape, in, out);
        for (int i = 0; i < 2; i++) s->burst_s[i] = sides[i].seconds;
        for (int i = 0; i < 2; i++)
            *((first + i) % 2 ? &s->start_s : &s->new_s) = start(out + 1, n, mode, (first + i) % 2, some);
        s->made_s = make_and_free(out + 1, n, mode, some);
    }
    double sums[2] = {sides[0].sum, sides[1].sum};
    MPI_Bcast(sums, 2, MPI_DOUBLE, 1, MPI_COMM_WORLD); /* what the receiver has */
    if (rank == 0) print(shape, mode, sums, samples, rounds);
    free(in);
    free(out);
}

int main(int argc, char **argv) {
    struct side sides[2];
    int ranks;
    alarm(LIMIT_S); /* nothing of this outlives a fault elsewhere */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    must(ranks == 2 && argc > 2, "wants two ranks and two kernels");
    bind_to_core();
    for (int i = 0; i < 2; i++) load(argv[1 + i], &sides[i]);
    clock_s = clock_cost();
    for (int i = 3; i < argc; i++) {
        struct kernel_shape shape = {0};
        int mode;
        double seconds;
        must(sscanf(argv[i], "%ld:%d:%ld:%lf", &shape.n, &mode, &shape.steps, &seconds) == 4, "cannot read a case");
        shape.n_in = shape.n_out = shape.n + 1;
        measure(sides, &shape, mode, seconds);
    }
    return MPI_Finalize();
}
