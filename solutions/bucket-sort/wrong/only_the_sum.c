/* expect: WRONG_CALLS - converts the sum, but exchanges the keys as before */
/* The sum is on its way while the keys are arranged; but all keys come at once in MPI_Alltoallv, and only then is the
 * first one counted. */

enum { KEYS = 1024, BUCKETS = 64, WIDTH = KEYS / BUCKETS, SHIFT = 37 };

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
    TRY(MPI_Alltoallv(k->arranged, k->send, k->send_at, MPI_INT, k->received, k->recv, k->recv_at, MPI_INT, k->comm));
    tally(k, k->recv, k->recv_at);
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    memset(k->out, 0, sizeof(double) * (KEYS + 1));
    for (long i = 0; i < k->steps; i++) TRY(step(k, i));
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->keys);
    free((*self)->send);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
