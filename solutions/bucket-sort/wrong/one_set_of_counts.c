/* expect: WRONG_ANSWER - two pieces in flight share their arrays of counts and places */
/* The arrays are filled anew for each piece, so one set seems enough.  But MPI may read them until the piece is
 * complete, and when it is, they say where the next one will be: that is what is counted. */

enum { KEYS = 1024, BUCKETS = 64, WIDTH = KEYS / BUCKETS, SHIFT = 37 };
enum { PIECES = 4 };
struct piece {
    int *send, *send_at, *recv, *recv_at; /* how many of each rank's keys are in the piece, and where they begin */
};

struct kernel {
    MPI_Comm comm;
    int rank, ranks, n;
    long steps;
    double work;
    const double *in;
    double *out;
    int *keys, *arranged, *received;      /* this rank's keys, the same by bucket, those that came: at worst all */
    int own[BUCKETS], all[BUCKETS];       /* how many keys are in each bucket, here and on all ranks */
    int *send, *send_at, *recv, *recv_at; /* how many keys go to and come from each rank, and where they begin */
    struct piece piece;
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &k->rank));
    TRY(MPI_Comm_size(comm, &k->ranks));
    k->comm = comm;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->keys = calloc((size_t)k->n * (size_t)(2 + k->ranks), sizeof *k->keys);
    k->arranged = k->keys + k->n;
    k->received = k->arranged + k->n;
    k->send = calloc(4 * (size_t)k->ranks, sizeof *k->send);
    k->send_at = k->send + k->ranks;
    k->recv = k->send_at + k->ranks;
    k->recv_at = k->recv + k->ranks;
    int *numbers = calloc(4 * (size_t)k->ranks, sizeof *numbers);
    if (!numbers) return MPI_ERR_NO_MEM;
    k->piece = (struct piece){numbers, numbers + k->ranks, numbers + 2 * k->ranks, numbers + 3 * k->ranks};
    return k->keys && k->send ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* How late this rank is in a step, from 0 to ranks - 1: they take turns. */
static int late(const struct kernel *k, long step) { return (int)((k->rank + step) % k->ranks); }

/* Makes the keys of a step and counts them by bucket. */
static void count(struct kernel *k, long step) {
    memset(k->own, 0, sizeof k->own);
    for (int i = 0; i < k->n; i++) {
        k->keys[i] = (int)(((long)k->in[i] + step * SHIFT) % KEYS);
        k->own[k->keys[i] / WIDTH]++;
    }
    kernel_work(k->work * late(k, step) / k->ranks);
}

/* Puts the keys into the order of their buckets; who counts longest has least to do here. */
static void arrange(struct kernel *k, long step) {
    int at[BUCKETS] = {0};
    for (int b = 1; b < BUCKETS; b++) at[b] = at[b - 1] + k->own[b - 1];
    for (int i = 0; i < k->n; i++) k->arranged[at[k->keys[i] / WIDTH]++] = k->keys[i];
    kernel_work(k->work * (k->ranks - 1 - late(k, step)) / k->ranks);
}

/* Deals the buckets to the ranks: a bucket goes to the one in whose share of n keys it begins. */
static void deal(struct kernel *k) {
    int before = 0;
    memset(k->send, 0, sizeof *k->send * (size_t)k->ranks);
    for (int b = 0; b < BUCKETS; b++) {
        int owner = before / k->n < k->ranks ? before / k->n : k->ranks - 1;
        k->send[owner] += k->own[b];
        before += k->all[b];
    }
}

/* Where each rank's keys begin, one rank's behind the other's. */
static void place(const struct kernel *k, const int *counts, int *at) {
    at[0] = 0;
    for (int r = 1; r < k->ranks; r++) at[r] = at[r - 1] + counts[r - 1];
}

/* How many of each rank's keys are in piece p, and where they begin. */
static void cut(const struct kernel *k, int p, const int *counts, const int *at, int *part, int *part_at) {
    for (int r = 0; r < k->ranks; r++) {
        int begin = counts[r] * p / PIECES, end = counts[r] * (p + 1) / PIECES;
        part[r] = end - begin;
        part_at[r] = at[r] + begin;
    }
}

/* Starts to exchange piece p. */
static int start(struct kernel *k, int p, MPI_Request *request) {
    struct piece *o = &k->piece;
    cut(k, p, k->send, k->send_at, o->send, o->send_at);
    cut(k, p, k->recv, k->recv_at, o->recv, o->recv_at);
    return MPI_Ialltoallv(k->arranged, o->send, o->send_at, MPI_INT, k->received, o->recv, o->recv_at, MPI_INT, k->comm,
                          request);
}

/* Counts the keys that came: so many from each rank, each rank's at one place. */
static void tally(struct kernel *k, const int *counts, const int *at) {
    int came = 0;
    for (int r = 0; r < k->ranks; r++) {
        for (int i = at[r]; i < at[r] + counts[r]; i++) k->out[k->received[i]]++;
        came += counts[r];
    }
    k->out[KEYS] += came;
    kernel_work(k->work * came / k->n);
}

static int step(struct kernel *k, long step) {
    count(k, step);
    MPI_Request sum;
    TRY(MPI_Iallreduce(k->own, k->all, BUCKETS, MPI_INT, MPI_SUM, k->comm, &sum));
    arrange(k, step);
    TRY(MPI_Wait(&sum, MPI_STATUS_IGNORE));

    deal(k);
    TRY(MPI_Alltoall(k->send, 1, MPI_INT, k->recv, 1, MPI_INT, k->comm));
    place(k, k->send, k->send_at);
    place(k, k->recv, k->recv_at);
    MPI_Request requests[PIECES];
    TRY(start(k, 0, &requests[0]));
    for (int p = 0; p < PIECES; p++) {
        if (p + 1 < PIECES) TRY(start(k, p + 1, &requests[p + 1]));
        TRY(MPI_Wait(&requests[p], MPI_STATUS_IGNORE));
        tally(k, k->piece.recv, k->piece.recv_at);
    }
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    memset(k->out, 0, sizeof(double) * (KEYS + 1));
    for (long i = 0; i < k->steps; i++) TRY(step(k, i));
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->piece.send);
    free((*self)->keys);
    free((*self)->send);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
