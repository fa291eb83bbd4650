/* three-arrays: four reductions of whole arrays, and what is computed from them, in each of `steps` steps.
 *
 * Each rank has its part of three arrays.  The average of A1 scales A2; the least and the greatest element of A2,
 * and the average again, make the new A3; the sum of A3 is the result.  A reduction combines the ranks' arrays
 * element by element, what is left is to reduce one array of n elements.  The last step's average, minimum, maximum
 * and sum, and A3, are `out`.  Modelled work comes with the update of A2 on even ranks, with that of A3 on odd ones.
 *
 * The reductions are blocking: a rank stands in each until the others have come and its result is there.  But the
 * minimum is not needed before the maximum is started, and A3 can take the average while both are on their way.
 *
 * Convert those two: start them as soon as A2 is ready, do what needs neither, and wait for each just before its
 * result is used.  The kernel is the one of an article by Intel on the collectives that came with MPI-3. */

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
    TRY(MPI_Allreduce(a2, k->low, k->n, MPI_DOUBLE, MPI_MIN, k->comm));
    TRY(MPI_Allreduce(a2, k->high, k->n, MPI_DOUBLE, MPI_MAX, k->comm));

    for (int i = 0; i < k->n; i++) a3[i] += average;
    kernel_work(k->work_a3);
    double min = least(k->low, k->n);
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
