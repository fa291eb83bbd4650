/* neighbourhood: heat spreads in a network of cells, n on each rank, in `steps` steps.
 *
 * The cells of a rank form a closed chain.  Some are linked with cells of other ranks, too: links() says how many links
 * there are between two ranks, none between most; link j with rank q ends at cell 7 q + 2 j, counted round the chain.
 * With an odd number of ranks, the last one has no link at all.  In a step each cell takes a quarter of the difference
 * to both neighbours in its chain, and an eighth of the difference to the other end of each link.  The values at the
 * other ends, the ghosts, are exchanged before every step.  kernel_work stands for cells that cost more: in even steps
 * even ranks have one unit of it and odd ranks three, in odd steps it is the other way round.
 *
 * The exchange is a neighbourhood collective on a communicator that knows the graph: it has counts and displacements
 * by neighbour, in the order in which the neighbours were given.  Links are the same seen from both ends, so those a
 * rank receives from are those it sends to.  A rank without neighbours belongs to the graph as well and makes every
 * call.  While the exchange is under way the chain is computed, which reads the old cells and not `sent` or `ghosts`;
 * then it is completed, and the links are computed.  A neighbour is waited for only when it is later than this rank's
 * own work.
 *
 * The gain is the overlap.  In MPICH 5.0.2 looking through the counts of 64 ranks takes half a microsecond, and a
 * nonblocking call takes longer than that to set up; but the tables no longer grow with the number of ranks. */

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
    /* step 1: make a communicator of the graph, once, and free it at the end */
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
    /* step 1: make a communicator of the graph, once, and free it at the end */
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
    /* step 2: start the exchange with the neighbours */
    MPI_Request request;
    TRY(MPI_Ineighbor_alltoallv(k->sent, k->counts, k->displs, MPI_DOUBLE, k->ghosts, k->counts, k->displs, MPI_DOUBLE,
                                k->graph, &request));

    chain(k);
    kernel_work(k->work * ((k->rank + number) % 2 ? 3 : 1));
    /* step 3: complete it when the ghosts are needed */
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
    /* step 1: make a communicator of the graph, once, and free it at the end */
    TRY(MPI_Comm_free(&k->graph));

    void *arrays[] = {k->old, k->new, k->cells, k->sent, k->ghosts, k->counts, k->displs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(k);
    *self = NULL;
    return MPI_SUCCESS;
}
