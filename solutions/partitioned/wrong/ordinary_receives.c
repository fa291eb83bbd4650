/* expect: DEADLOCK - a partitioned send meets a persistent receive that is not partitioned */
/* Only the sends are partitioned; the receives are ordinary persistent ones, since the receiver takes whole rows.  A
 * persistent send matches any receive, but a partitioned one matches partitioned receives only. */

#include <pthread.h>

enum { PARTS = 4, EASY = 1, HARD = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held around a thread's calls of MPI */

struct kernel {
    MPI_Comm comm;
    int rank, left, right;
    int n;
    long steps;
    double work;
    const double *in;
    double *out;
    double *mine, *theirs; /* histories, this rank's and its left neighbour's: `steps` rows of PARTS parts of n cells */
    MPI_Request *receives, *sends; /* of each row: one array, first all receives */
};

/* What a thread is given. */
struct part {
    struct kernel *k;
    int number;
    long row;
    int code;   /* of its calls of MPI */
    long added; /* rows of which this part has been added */
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
    k->receives = calloc(2 * (size_t)k->steps, sizeof *k->receives);
    k->sends = k->receives + k->steps;
    if (!k->receives) return MPI_ERR_NO_MEM;
    for (long row = 0; row < k->steps; row++) {
        double *to = cells(k, k->theirs, row, 0), *from = cells(k, k->mine, row, 0);
        TRY(MPI_Recv_init(to, PARTS * k->n, MPI_DOUBLE, k->left, 0, comm, &k->receives[row]));
        TRY(MPI_Psend_init(from, PARTS, k->n, MPI_DOUBLE, k->right, 0, comm, MPI_INFO_NULL, &k->sends[row]));
    }
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

static int ready(const struct part *p) {
    pthread_mutex_lock(&lock);
    int code = MPI_Pready(p->number, p->k->sends[p->row]);
    pthread_mutex_unlock(&lock);
    return code;
}

static void *produce(void *given) {
    struct part *p = given;
    for (; p->row < p->k->steps && !p->code; p->row++) {
        grow(p->k, p->row, p->number);
        p->code = ready(p);
    }
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
    TRY(MPI_Startall(2 * (int)k->steps, k->receives));
    TRY(in_threads(parts));
    for (int i = 0; i < PARTS; i++) TRY(parts[i].code);
    TRY(MPI_Waitall(2 * (int)k->steps, k->receives, MPI_STATUSES_IGNORE));
    for (int i = 0; i < PARTS; i++)
        while (parts[i].added < k->steps) add(k, parts[i].added++, i);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    struct kernel *k = *self;
    for (long i = 0; i < 2 * k->steps; i++) TRY(MPI_Request_free(&k->receives[i]));
    free(k->receives);
    free(k->mine);
    free(k->theirs);
    free(k);
    *self = NULL;
    return MPI_SUCCESS;
}
