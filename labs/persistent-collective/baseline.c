/* persistent-collective: an iteration with two sums over all ranks in each of `steps` steps.
 *
 * It solves (D + u u^T) x = b, D diagonal and u a vector, so a product with this matrix takes a dot product, u.x.  A
 * step computes the residual r = b - D x - u (u.x) and the sum of its squares, r.r, and goes on to x + r / 4.  Each
 * rank has n rows; x after the last step and the r.r of every step are `out`.  kernel_work stands for rows that cost
 * more: on odd ranks the residual takes three units and the update one, on even ranks it is the other way round.
 *
 * The same two MPI_Allreduce, with the same arguments, are set up in every step.  And they block: all ranks wait for
 * the slowest residual, then for the slowest update, though all have four units to do in a step.  But D x needs no
 * dot product, and r.r is only written down.
 *
 * Convert it: bind each sum to a persistent request, once, and free it at the end; start it when this rank's part of
 * it is ready; complete it when its result is needed, or when its buffers are.  For r.r, that is in the next step.
 * (Complete the two one by one: MPICH 5.0.2 hangs in an MPI_Waitall for an active and an inactive collective.) */

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
    return k->r ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static int step(struct kernel *k, long number) {
    k->part[DOT] = dot(k->u, k->x, k->n);
    TRY(MPI_Allreduce(&k->part[DOT], &k->sum[DOT], 1, MPI_DOUBLE, MPI_SUM, k->comm));

    for (int i = 0; i < k->n; i++) k->r[i] = k->b[i] - k->d[i] * k->x[i];
    kernel_work(k->work * (k->odd ? 3 : 1));

    for (int i = 0; i < k->n; i++) k->r[i] -= k->u[i] * k->sum[DOT];
    k->part[SQUARES] = dot(k->r, k->r, k->n);
    TRY(MPI_Allreduce(&k->part[SQUARES], &k->sum[SQUARES], 1, MPI_DOUBLE, MPI_SUM, k->comm));
    k->squares[number] = k->sum[SQUARES];

    for (int i = 0; i < k->n; i++) k->x[i] += 0.25 * k->r[i];
    kernel_work(k->work * (k->odd ? 1 : 3));
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    memcpy(k->x, k->b, sizeof(double) * (size_t)k->n);
    for (long i = 0; i < k->steps; i++) TRY(step(k, i));
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->r);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
