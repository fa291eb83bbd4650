/* expect: TIMED_OUT - waits for the last ghost to change, without a call of MPI */
/* The ghosts are marked, and the student looks at the last of them until it has changed, to know that the exchange
 * is complete.  Who computes in a loop makes no MPI calls, and this library moves data only in calls: the mark
 * stays.  MPI_Test would look and make progress; and a buffer in flight must not be read. */

struct kernel {
    MPI_Comm comm;
    int rank, n, ends; /* of links on this rank */
    long steps;
    double work;
    const double *in;
    double *out;
    double *old, *new;
    int *cells;            /* at which cell each link ends, by neighbour */
    double *sent, *ghosts; /* the values at this end of each link and at the other */
    int *counts, *displs;  /* of the ends of links with each rank, to send as to receive */
    MPI_Comm graph;
};

/* How many links there are between cells of ranks p and q. */
static int links(int p, int q, int ranks, int n) {
    int low = p < q ? p : q, high = p < q ? q : p;
    int linked = high < ranks - ranks % 2 && (high == low + 1 || high == 2 * low + 1);
    return linked ? 1 + (p + q) % 4 * (n / 8) : 0;
}

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &k->rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->counts = calloc((size_t)ranks, sizeof *k->counts);
    k->displs = calloc((size_t)ranks, sizeof *k->displs);
    if (!k->counts || !k->displs) return MPI_ERR_NO_MEM;
    for (int q = 0; q < ranks; q++) {
        k->counts[q] = links(k->rank, q, ranks, k->n);
        k->displs[q] = k->ends;
        k->ends += k->counts[q];
    }
    k->old = calloc((size_t)k->n, sizeof *k->old);
    k->new = calloc((size_t)k->n, sizeof *k->new);
    k->cells = calloc((size_t)k->ends + 1, sizeof *k->cells);
    k->sent = calloc((size_t)k->ends + 1, sizeof *k->sent);
    k->ghosts = calloc((size_t)k->ends + 1, sizeof *k->ghosts);
    if (!k->old || !k->new || !k->cells || !k->sent || !k->ghosts) return MPI_ERR_NO_MEM;
    for (int q = 0; q < ranks; q++)
        for (int j = 0; j < k->counts[q]; j++) k->cells[k->displs[q] + j] = (7 * q + 2 * j) % k->n;
    int degree = 0, neighbours[ranks];
    for (int q = 0; q < ranks; q++) {
        if (k->counts[q] == 0) continue;
        neighbours[degree] = q;
        k->counts[degree] = k->counts[q];
        k->displs[degree++] = k->displs[q];
    }
    TRY(MPI_Dist_graph_create_adjacent(comm, degree, neighbours, MPI_UNWEIGHTED, degree, neighbours, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &k->graph));

    return MPI_SUCCESS;
}

/* What the chain gives to each cell: new from old. */
static void chain(struct kernel *k) {
    const double *old = k->old;
    for (int i = 0, last = k->n - 1; i <= last; i++) {
        double left = old[i > 0 ? i - 1 : last], right = old[i < last ? i + 1 : 0];
        k->new[i] = 0.5 * old[i] + 0.25 * (left + right);
    }
}

static int step(struct kernel *k, long number) {
    for (int i = 0; i < k->ends; i++) k->sent[i] = k->old[k->cells[i]];
    for (int i = 0; i < k->ends; i++) k->ghosts[i] = -1;
    MPI_Request request;
    TRY(MPI_Ineighbor_alltoallv(k->sent, k->counts, k->displs, MPI_DOUBLE, k->ghosts, k->counts, k->displs, MPI_DOUBLE,
                                k->graph, &request));

    chain(k);
    kernel_work(k->work * ((k->rank + number) % 2 ? 3 : 1));
    volatile double *last = k->ghosts + (k->ends > 0 ? k->ends - 1 : 0);
    while (k->ends > 0 && *last == -1) {}
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));

    for (int i = 0; i < k->ends; i++) k->new[k->cells[i]] += 0.125 * (k->ghosts[i] - k->sent[i]);
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    memcpy(k->old, k->in, sizeof(double) * (size_t)k->n);
    for (long i = 0; i < k->steps; i++) {
        TRY(step(k, i));
        double *swap = k->old;
        k->old = k->new;
        k->new = swap;
    }
    memcpy(k->out, k->old, sizeof(double) * (size_t)k->n);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    struct kernel *k = *self;
    TRY(MPI_Comm_free(&k->graph));

    void *arrays[] = {k->old, k->new, k->cells, k->sent, k->ghosts, k->counts, k->displs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(k);
    *self = NULL;
    return MPI_SUCCESS;
}
