/* expect: DEADLOCK - the others never start the maximum */
/* Only rank 0 asks for the maximum "because it is the same everywhere", and passes it on: a reduction is complete
 * when all ranks have called it, and the others never do. */

struct kernel {
    MPI_Comm comm;
    int ranks, n;
    long steps;
    const double *in; /* A1, A2 and A3 as they are at first, n elements each */
    double *out;
    double *a2;
    double *sum, *low, *high; /* what the reductions give */
    double work_a2, work_a3;  /* modelled compute of the updates: on even ranks that of A2, on odd ones that of A3 */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &k->ranks));
    k->comm = comm;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    *(rank % 2 ? &k->work_a3 : &k->work_a2) = shape->work;
    k->in = in;
    k->out = out;
    double **arrays[] = {&k->a2, &k->sum, &k->low, &k->high};
    for (int i = 0; i < 4; i++) {
        *arrays[i] = calloc((size_t)k->n, sizeof(double));
        if (!*arrays[i]) return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

static double total(const double *values, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += values[i];
    return sum;
}

static double least(const double *values, int n) {
    double found = values[0];
    for (int i = 1; i < n; i++) found = values[i] < found ? values[i] : found;
    return found;
}

static double greatest(const double *values, int n) {
    double found = values[0];
    for (int i = 1; i < n; i++) found = values[i] > found ? values[i] : found;
    return found;
}

static int step(struct kernel *k) {
    const double *a1 = k->in;
    double *a2 = k->a2, *a3 = k->out + 4;

    TRY(MPI_Allreduce(a1, k->sum, k->n, MPI_DOUBLE, MPI_SUM, k->comm));
    double average = total(k->sum, k->n) / ((double)k->n * k->ranks);

    for (int i = 0; i < k->n; i++) a2[i] *= average;
    kernel_work(k->work_a2);
    MPI_Request low, high;
    TRY(MPI_Iallreduce(a2, k->low, k->n, MPI_DOUBLE, MPI_MIN, k->comm, &low));
    int rank;
    TRY(MPI_Comm_rank(k->comm, &rank));
    if (rank == 0) TRY(MPI_Iallreduce(a2, k->high, k->n, MPI_DOUBLE, MPI_MAX, k->comm, &high));

    for (int i = 0; i < k->n; i++) a3[i] += average;
    kernel_work(k->work_a3);
    TRY(MPI_Wait(&low, MPI_STATUS_IGNORE));
    double min = least(k->low, k->n);
    if (rank == 0) TRY(MPI_Wait(&high, MPI_STATUS_IGNORE));
    TRY(MPI_Bcast(k->high, k->n, MPI_DOUBLE, 0, k->comm));
    double max = greatest(k->high, k->n);
    for (int i = 0; i < k->n; i++) a3[i] *= (min + max) * 0.5;
    TRY(MPI_Allreduce(a3, k->sum, k->n, MPI_DOUBLE, MPI_SUM, k->comm));

    const double results[4] = {average, min, max, total(k->sum, k->n)};
    memcpy(k->out, results, sizeof results);
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    const size_t bytes = sizeof(double) * (size_t)k->n;
    memcpy(k->a2, k->in + k->n, bytes);
    memcpy(k->out + 4, k->in + 2L * k->n, bytes);
    for (long i = 0; i < k->steps; i++) TRY(step(k));
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    struct kernel *k = *self;
    free(k->a2);
    free(k->sum);
    free(k->low);
    free(k->high);
    free(k);
    *self = NULL;
    return MPI_SUCCESS;
}
