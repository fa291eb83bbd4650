/* ring: every rank passes a block of n doubles round the ring of ranks, `steps` times.
 *
 * In each step a rank gives its block to the rank on its right and takes the one of the rank on its left; its next
 * block is half of what came plus its own `in`.  The block after the last step is `out`.
 *
 * All ranks pass their blocks on at once: MPI_Sendrecv starts the send and the receive together and returns when
 * both are done, so no rank's send waits for its own receive, whatever the size and however many ranks there are.
 * Whoever is late holds up its neighbours alone, and theirs a step later.  A single rank sends to itself, and needs no
 * case of its own.  Sending first on even ranks and receiving first on odd ones does as well (two transfers a step;
 * with an odd number of ranks three), but Sendrecv says what is meant. */

enum { TAG = 1 };

struct kernel {
    MPI_Comm comm;
    int rank, ranks, left, right, n;
    long steps;
    double work; /* of a step, modelled; 0 in most cases */
    const double *in;
    double *out;  /* the block this rank holds */
    double *came; /* the block that comes from the left */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    if (!k) return MPI_ERR_NO_MEM;
    k->comm = comm;
    TRY(MPI_Comm_rank(comm, &k->rank));
    TRY(MPI_Comm_size(comm, &k->ranks));
    k->left = (k->rank + k->ranks - 1) % k->ranks;
    k->right = (k->rank + 1) % k->ranks;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->came = calloc((size_t)k->n, sizeof *k->came);
    return k->came ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Gives `out` to the right and takes `came` from the left. */
static int pass_on(struct kernel *k) {
    /* step 1: send to the right and receive from the left in one call, in which no rank goes first */
    TRY(MPI_Sendrecv(k->out, k->n, MPI_DOUBLE, k->right, TAG, k->came, k->n, MPI_DOUBLE, k->left, TAG, k->comm,
                     MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

/* One rank in eight works eight times as long as the others, in each step another one. */
static int is_late(const struct kernel *k, long step) { return (k->rank - 2 * step) % 8 == 0; }

int kernel_run(struct kernel *k) {
    memcpy(k->out, k->in, sizeof *k->out * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
        /* step 2: pass on in any case, for a rank that is alone gives its block to itself */
        TRY(pass_on(k));

        kernel_work(is_late(k, step) ? 8 * k->work : k->work);
        for (int i = 0; i < k->n; i++) k->out[i] = 0.5 * k->came[i] + k->in[i];
    }
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->came);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
