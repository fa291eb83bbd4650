/* expect: WRONG_ANSWER - mixes what came before the receives are complete */
/* The work is taken for the time that the messages need, so that they are there when it is done. Nothing says so: a
 * receive is complete when its Wait returns, and before that its buffer holds the step before, or half a message. */

enum { FIELDS = 4 }; /* a message's tag is its field */

struct kernel {
    MPI_Comm comm;
    int left, right; /* the neighbours, MPI_PROC_NULL when there is one rank: then `came` stays 0 */
    int n;
    long steps;
    double work;
    const double *in;
    double *out;
    double *spare, *came; /* FIELDS fields of n values each, as in `in` and `out` */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank, ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->left = ranks > 1 ? (rank + ranks - 1) % ranks : MPI_PROC_NULL;
    k->right = ranks > 1 ? (rank + 1) % ranks : MPI_PROC_NULL;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->spare = calloc((size_t)(FIELDS * k->n), sizeof(double));
    k->came = calloc((size_t)(FIELDS * k->n), sizeof(double));
    return k->spare && k->came ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int step(struct kernel *k, const double *now, double *new) {
    MPI_Request requests[2 * FIELDS];

    for (int f = 0; f < FIELDS; f++)
        TRY(MPI_Irecv(k->came + f * k->n, k->n, MPI_DOUBLE, k->left, f, k->comm, &requests[f]));
    for (int f = 0; f < FIELDS; f++)
        TRY(MPI_Isend(now + f * k->n, k->n, MPI_DOUBLE, k->right, f, k->comm, &requests[FIELDS + f]));

    kernel_work(k->work);
    for (int i = 0; i < FIELDS * k->n; i++) new[i] = 0.25 * now[i] + 0.75 * k->came[i];
    TRY(MPI_Waitall(2 * FIELDS, requests, MPI_STATUSES_IGNORE));
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    const double *now = k->in;
    for (long to_go = k->steps; to_go > 0; to_go--) {
        double *new = to_go % 2 ? k->out : k->spare; /* the last step's is `out` */
        TRY(step(k, now, new));
        now = new;
    }
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->spare);
    free((*self)->came);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
