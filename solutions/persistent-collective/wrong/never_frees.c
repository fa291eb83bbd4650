/* expect: ERRONEOUS_MPI - persistent requests are never freed */
/* Every sum is complete at the end, so nothing is left to do, the student thinks.  Completion makes a persistent
 * request inactive; only MPI_Request_free ends it. */

enum { DOT, SQUARES }; /* the two sums: u.x and r.r */

struct kernel {
    MPI_Comm comm;
    int n, odd;
    long steps;
    double work;
    const double *d, *u, *b;
    double *x, *squares; /* of the residual, in each step */
    double *r;
    double part[2], sum[2]; /* what this rank adds, and the sum of all ranks */
    MPI_Request requests[2];
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    k->comm = comm;
    k->n = (int)shape->n;
    k->odd = rank % 2;
    k->steps = shape->steps;
    k->work = shape->work;
    k->d = in;
    k->u = in + shape->n;
    k->b = in + 2 * shape->n;
    k->x = out;
    k->squares = out + shape->n;
    k->r = calloc((size_t)k->n, sizeof *k->r);
    for (int i = DOT; i <= SQUARES; i++)
        TRY(MPI_Allreduce_init(&k->part[i], &k->sum[i], 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &k->requests[i]));

    return k->r ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static int step(struct kernel *k, long number) {
    k->part[DOT] = dot(k->u, k->x, k->n);
    TRY(MPI_Start(&k->requests[DOT]));

    for (int i = 0; i < k->n; i++) k->r[i] = k->b[i] - k->d[i] * k->x[i];
    kernel_work(k->work * (k->odd ? 3 : 1));
    TRY(MPI_Wait(&k->requests[DOT], MPI_STATUS_IGNORE));
    if (number > 0) {
        TRY(MPI_Wait(&k->requests[SQUARES], MPI_STATUS_IGNORE));
        k->squares[number - 1] = k->sum[SQUARES];
    }

    for (int i = 0; i < k->n; i++) k->r[i] -= k->u[i] * k->sum[DOT];
    k->part[SQUARES] = dot(k->r, k->r, k->n);
    TRY(MPI_Start(&k->requests[SQUARES]));

    for (int i = 0; i < k->n; i++) k->x[i] += 0.25 * k->r[i];
    kernel_work(k->work * (k->odd ? 1 : 3));
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    memcpy(k->x, k->b, sizeof(double) * (size_t)k->n);
    for (long i = 0; i < k->steps; i++) TRY(step(k, i));
    TRY(MPI_Wait(&k->requests[SQUARES], MPI_STATUS_IGNORE));
    k->squares[k->steps - 1] = k->sum[SQUARES];

    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->r);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
