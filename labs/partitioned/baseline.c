/* partitioned: cells that grow, and their history, which four threads write and the neighbour on the right adds up.
 *
 * Each rank has four parts of n cells.  In each of `steps` steps the cells grow, and what they are then is the next row
 * of the rank's history; threads write it, one for each part.  The ranks are a ring: a row goes to the right, and the
 * row that comes from the left is added to `out`.  One part of each row is hard and takes four times as long (modelled
 * work), and it is another one in each row.
 *
 * A row is sent when it is whole, so the threads are joined after every row: three of them stand idle while the fourth
 * has the hard part, in every row.  But a part needs no more than the same part of the row before.
 *
 * Convert it: make each row a partitioned message, with a partition for each thread.  The threads run through all rows
 * and are joined once; each marks its part of a row ready when it is written, and adds what has arrived from the left.
 * MPI is initialised with MPI_THREAD_SERIALIZED: one thread at a time may call it, so threads need a lock. */

#include <pthread.h>

enum { PARTS = 4, EASY = 1, HARD = 4 };

struct kernel {
    MPI_Comm comm;
    int rank, left, right;
    int n;
    long steps;
    double work;
    const double *in;
    double *out;
    double *mine, *theirs; /* histories, this rank's and its left neighbour's: `steps` rows of PARTS parts of n cells */
};

/* What a thread is given. */
struct part {
    struct kernel *k;
    int number;
    long row;
};

/* The first cell of a part of a row. */
static double *cells(const struct kernel *k, double *history, long row, int part) {
    return history + (row * PARTS + part) * k->n;
}

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &k->rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->left = (k->rank + ranks - 1) % ranks;
    k->right = (k->rank + 1) % ranks;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->mine = calloc((size_t)(k->steps * PARTS * k->n), sizeof *k->mine);
    k->theirs = calloc((size_t)(k->steps * PARTS * k->n), sizeof *k->theirs);
    if (!k->mine || !k->theirs) return MPI_ERR_NO_MEM;
    return MPI_SUCCESS;
}

/* Writes a part of a row of this rank's history. */
static void grow(const struct kernel *k, long row, int part) {
    const double *old = row ? cells(k, k->mine, row - 1, part) : k->in + part * k->n;
    double *new = cells(k, k->mine, row, part);
    kernel_work(k->work * ((row + part + k->rank) % PARTS ? EASY : HARD));
    for (int i = 0; i < k->n; i++) new[i] = old[i] + 0.1 * old[i] * (1 - old[i]);
}

/* Adds a part of a row of the left neighbour's history. */
static void add(const struct kernel *k, long row, int part) {
    const double *from = cells(k, k->theirs, row, part);
    double *to = k->out + part * k->n;
    for (int i = 0; i < k->n; i++) to[i] += from[i];
}

static void *produce(void *given) {
    struct part *p = given;
    grow(p->k, p->row, p->number);
    return NULL;
}

/* Has each part produced in a thread of its own, and waits for all. */
static int in_threads(struct part *parts) {
    pthread_t threads[PARTS];
    int started = 0;
    while (started < PARTS && !pthread_create(&threads[started], NULL, produce, &parts[started])) started++;
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return started == PARTS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int kernel_run(struct kernel *k) {
    struct part parts[PARTS];
    for (int i = 0; i < PARTS; i++) parts[i] = (struct part){.k = k, .number = i};
    memset(k->out, 0, sizeof(double) * (size_t)(PARTS * k->n));
    for (long row = 0; row < k->steps; row++) {
        for (int i = 0; i < PARTS; i++) parts[i].row = row;
        TRY(in_threads(parts));
        MPI_Request requests[2];
        TRY(MPI_Irecv(cells(k, k->theirs, row, 0), PARTS * k->n, MPI_DOUBLE, k->left, 0, k->comm, &requests[0]));
        TRY(MPI_Isend(cells(k, k->mine, row, 0), PARTS * k->n, MPI_DOUBLE, k->right, 0, k->comm, &requests[1]));
        TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < PARTS; i++) add(k, row, i);
    }
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    struct kernel *k = *self;
    free(k->mine);
    free(k->theirs);
    free(k);
    *self = NULL;
    return MPI_SUCCESS;
}
