/* send-recv: fields that go round a ring of ranks, and work that has nothing to do with them.
 *
 * Each rank has FIELDS fields of n values.  In each of `steps` steps they are sent to the rank on the right, the rank
 * does its work (kernel_work, which needs no message), and the fields of the rank on the left come in: a new value is
 * a quarter of the old one and three quarters of what came.  A single rank has no neighbours, and zeros come in.
 *
 * The receives are posted first, so that a message that comes has a place to go, then the sends; the order of the
 * ranks is of no matter any more, since none of these calls waits.  All fields are on their way at once, all ranks
 * work at once, and one MPI_Waitall completes the requests, one for each message, when what came is needed.  What is
 * sent is only read meanwhile.  The story is that of a sample in a vendor's tuning guide. */

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
    /* step 1: a request for each message */
    MPI_Request requests[2 * FIELDS];

    /* step 2: post the receives, then the sends, before the work */
    for (int f = 0; f < FIELDS; f++)
        TRY(MPI_Irecv(k->came + f * k->n, k->n, MPI_DOUBLE, k->left, f, k->comm, &requests[f]));
    for (int f = 0; f < FIELDS; f++)
        TRY(MPI_Isend(now + f * k->n, k->n, MPI_DOUBLE, k->right, f, k->comm, &requests[FIELDS + f]));

    kernel_work(k->work);
    /* step 3: complete them all just before what came is needed */
    TRY(MPI_Waitall(2 * FIELDS, requests, MPI_STATUSES_IGNORE));

    for (int i = 0; i < FIELDS * k->n; i++) new[i] = 0.25 * now[i] + 0.75 * k->came[i];
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
