/* expect: ERRONEOUS_MPI - completes the sends of the last step only */
/* The waits of the sends were moved out of the loop, and out of the step as well: once, after the last step, seems
 * late enough. The handles of a step are overwritten by those of the next, so only the last sends are completed, and
 * the buffers are filled again while the others may still be on their way. */

enum { UP, DOWN, LEFT, RIGHT, WAYS }; /* a message's tag is the way it goes; way ^ 1 is the way back */

struct kernel {
    MPI_Comm comm;
    int row, column, n;
    int neighbour[WAYS];
    long steps;
    double work; /* floating-point operations in a unit */
    const double *in;
    double *out;
    double *now, *came; /* the particles by the way they go, n kinds each */
    double *mean, *leaving;
    MPI_Request sends[WAYS];
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank, ranks, rows = 1;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &ranks));
    for (int i = 1; i * i <= ranks; i++) rows = ranks % i ? rows : i;
    const int columns = ranks / rows;
    k->comm = comm;
    k->row = rank / columns;
    k->column = rank % columns;
    k->neighbour[UP] = (rank + ranks - columns) % ranks;
    k->neighbour[DOWN] = (rank + columns) % ranks;
    k->neighbour[LEFT] = k->row * columns + (k->column + columns - 1) % columns;
    k->neighbour[RIGHT] = k->row * columns + (k->column + 1) % columns;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->now = calloc((size_t)(WAYS * k->n), sizeof(double));
    k->came = calloc((size_t)(WAYS * k->n), sizeof(double));
    k->mean = calloc((size_t)k->n, sizeof(double));
    k->leaving = calloc((size_t)(WAYS * k->n), sizeof(double));

    return k->now && k->came && k->mean && k->leaving ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* The operations in a phase (0 or 1) of a step. */
static double amount(const struct kernel *k, long step, int phase) {
    return k->work * (double)(1 + (k->row + k->column * step + 2 * phase) % 3);
}

/* Those of some particles that go one way. */
static double *going(const struct kernel *k, double *particles, int way) { return particles + (long)way * k->n; }

static int step(struct kernel *k, long step) {
    MPI_Request requests[WAYS];

    for (int way = 0; way < WAYS; way++)
        TRY(MPI_Irecv(going(k, k->came, way), k->n, MPI_DOUBLE, k->neighbour[way ^ 1], way, k->comm, &requests[way]));

    memset(k->mean, 0, sizeof(double) * (size_t)k->n);
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < k->n; i++) k->mean[i] += 0.25 * going(k, k->now, way)[i];
    kernel_work(amount(k, step, 0));

    for (int way = 0; way < WAYS; way++) {
        const double *own = going(k, k->now, way);
        double *leaving = going(k, k->leaving, way);

        for (int i = 0; i < k->n; i++) leaving[i] = 0.5 * (own[i] + k->mean[i]);
        TRY(MPI_Isend(leaving, k->n, MPI_DOUBLE, k->neighbour[way], way, k->comm, &k->sends[way]));
    }

    for (int i = 0; i < k->n; i++) k->out[WAYS * k->n + i] += k->mean[i];
    kernel_work(amount(k, step, 1));

    TRY(MPI_Waitall(WAYS, requests, MPI_STATUSES_IGNORE));

    double *swap = k->now;
    k->now = k->came;
    k->came = swap;
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    const size_t bytes = sizeof(double) * (size_t)(WAYS * k->n);
    memcpy(k->now, k->in, bytes);
    memset(k->out + WAYS * k->n, 0, sizeof(double) * (size_t)k->n);
    for (long i = 0; i < k->steps; i++) TRY(step(k, i));
    TRY(MPI_Waitall(WAYS, k->sends, MPI_STATUSES_IGNORE));
    memcpy(k->out, k->now, bytes);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->now);
    free((*self)->came);
    free((*self)->mean);
    free((*self)->leaving);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
