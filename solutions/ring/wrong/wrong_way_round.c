/* expect: WRONG_ANSWER - sends to the left and receives from the right */
/* Every block goes to the left and comes from the right.  With two ranks nobody sees it: left and right are one. */

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
    TRY(MPI_Sendrecv(k->out, k->n, MPI_DOUBLE, k->left, TAG, k->came, k->n, MPI_DOUBLE, k->right, TAG, k->comm,
                     MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

/* One rank in eight works eight times as long as the others, in each step another one. */
static int is_late(const struct kernel *k, long step) { return (k->rank - 2 * step) % 8 == 0; }

int kernel_run(struct kernel *k) {
    memcpy(k->out, k->in, sizeof *k->out * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
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
