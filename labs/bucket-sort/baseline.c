/* bucket-sort: a parallel sort of integer keys, n on each rank, done anew in each of `steps` steps.
 *
 * A key is one of KEYS numbers, and WIDTH neighbouring ones share a bucket.  A rank counts its keys by bucket; the
 * sum over all ranks says which buckets go to which rank, so that each gets about n keys.  The keys are arranged by
 * bucket and go to the owners of the buckets, who count how often each key came: ranks, buckets and counts in their
 * order are the sorted keys.  In each step a key is SHIFT larger.  `out` has the counts of all steps, then their sum.
 *
 * The collectives block.  In a trace MPI_Allreduce looks slow, but it only makes all wait for the one who counts
 * longest (modelled work, in which ranks take turns at being late).  MPI_Alltoall follows at once, when all are in
 * step, and costs nothing.  Then ranks arrange their keys, which needs no sum, and again all wait for the last one.
 * MPI_Alltoallv brings all keys before the first is counted.
 *
 * Convert it: arrange the keys while the sum is on its way, and exchange them in pieces, so that one is counted while
 * others travel.  The kernel is one of the case studies in a manual of Sun's HPC ClusterTools. */

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
    TRY(MPI_Allreduce(k->own, k->all, BUCKETS, MPI_INT, MPI_SUM, k->comm));
    deal(k);
    TRY(MPI_Alltoall(k->send, 1, MPI_INT, k->recv, 1, MPI_INT, k->comm));
    arrange(k, step);
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
