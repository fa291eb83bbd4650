/* ring: every rank passes a block of n doubles round the ring of ranks, `steps` times.
 *
 * In each step a rank gives its block to the rank on its right and takes the one of the rank on its left; its next
 * block is half of what came plus its own `in`.  The block after the last step is `out`.
 *
 * The exchange is safe at every size: rank 0 sends first and all others receive first, so whoever sends finds a rank
 * that receives.  But see who waits for whom: rank 1 sends only when the block of rank 0 is there, rank 2 only when
 * that of rank 1 is there, ...  One message moves at a time, and a step takes as many transfers as there are ranks.
 * A rank that is late holds up all that come after it in the chain, and with the last one rank 0, and so all.
 *
 * Break the chain, with blocking calls alone.  If even ranks send first and odd ones receive first, a step takes two
 * transfers, or three, however many ranks there are; there is a way to pass all blocks on at once, which two ranks
 * gain from too.  It must stay safe at every size, for an odd number of ranks, and for one. */

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
    if (k->rank == 0) {
        TRY(MPI_Send(k->out, k->n, MPI_DOUBLE, k->right, TAG, k->comm));
        TRY(MPI_Recv(k->came, k->n, MPI_DOUBLE, k->left, TAG, k->comm, MPI_STATUS_IGNORE));
    } else {
        TRY(MPI_Recv(k->came, k->n, MPI_DOUBLE, k->left, TAG, k->comm, MPI_STATUS_IGNORE));
        TRY(MPI_Send(k->out, k->n, MPI_DOUBLE, k->right, TAG, k->comm));
    }
    return MPI_SUCCESS;
}

/* One rank in eight works eight times as long as the others, in each step another one. */
static int is_late(const struct kernel *k, long step) { return (k->rank - 2 * step) % 8 == 0; }

int kernel_run(struct kernel *k) {
    memcpy(k->out, k->in, sizeof *k->out * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
        if (k->ranks > 1)
            TRY(pass_on(k));
        else /* alone: a blocking send to oneself would wait for ever */
            memcpy(k->came, k->out, sizeof *k->came * (size_t)k->n);
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
