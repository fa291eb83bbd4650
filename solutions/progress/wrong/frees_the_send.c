/* expect: WRONG_ANSWER - frees the request of a send and fills its buffer again */
/* The request is not needed any more, so it is freed, which is cheaper than to wait for it. Freeing completes nothing
 * and only gives up the right to know: the buffer is filled for the other side while the message is still in it. */

enum { LEFT, RIGHT, SIDES }; /* a message's tag is the way it goes */

enum { PIECES = 8 };

struct kernel {
    MPI_Comm comm;
    int rank, n;
    int neighbour[SIDES];
    long steps;
    double work; /* floating-point operations in a unit */
    const double *in;
    double *out;
    double *now, *spread, *leaving; /* n cells each */
    double *came[SIDES];            /* what came, by the way it went */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &k->rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->n = (int)shape->n;
    k->neighbour[LEFT] = (k->rank + ranks - 1) % ranks;
    k->neighbour[RIGHT] = (k->rank + 1) % ranks;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    double **arrays[] = {&k->now, &k->spread, &k->leaving, &k->came[LEFT], &k->came[RIGHT]};
    for (int i = 0; i < 5; i++) {
        *arrays[i] = calloc((size_t)k->n, sizeof(double));
        if (!*arrays[i]) return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* The operations in a phase (0 or 1) of a step. */
static double amount(const struct kernel *k, long step, int phase) {
    return k->work * (double)(1 + (k->rank * step + 2 * phase) % 3);
}

/* Phase 0: heat spreads along the plate; nothing leaves at its ends. */
static void spread(struct kernel *k) {
    for (int i = 0; i < k->n; i++) {
        double before = k->now[i > 0 ? i - 1 : i], after = k->now[i < k->n - 1 ? i + 1 : i];
        k->spread[i] = k->now[i] + 0.1 * (before - k->now[i]) + 0.1 * (after - k->now[i]);
    }
}

static int step(struct kernel *k, long step) {
    static const double share[SIDES] = {0.125, 0.25};
    MPI_Request receives[SIDES], send;
    for (int side = 0; side < SIDES; side++)
        TRY(MPI_Irecv(k->came[side], k->n, MPI_DOUBLE, k->neighbour[1 - side], side, k->comm, &receives[side]));

    spread(k);
    kernel_work(amount(k, step, 0));
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < k->n; i++) k->leaving[i] = share[side] * k->spread[i];
        TRY(MPI_Isend(k->leaving, k->n, MPI_DOUBLE, k->neighbour[side], side, k->comm, &send));
        TRY(MPI_Request_free(&send));
    }

    for (int i = 0; i < k->n; i++) k->now[i] = 0.625 * k->spread[i];
    for (int piece = 0; piece < PIECES; piece++) {
        kernel_work(amount(k, step, 1) / PIECES);
        int all;
        TRY(MPI_Testall(SIDES, receives, &all, MPI_STATUSES_IGNORE));
    }

    TRY(MPI_Waitall(SIDES, receives, MPI_STATUSES_IGNORE));
    for (int i = 0; i < k->n; i++) k->now[i] += k->came[LEFT][i] + k->came[RIGHT][i];
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    const size_t bytes = sizeof(double) * (size_t)k->n;
    memcpy(k->now, k->in, bytes);
    for (long i = 0; i < k->steps; i++) TRY(step(k, i));
    memcpy(k->out, k->now, bytes);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    struct kernel *k = *self;
    free(k->now);
    free(k->spread);
    free(k->leaving);
    free(k->came[LEFT]);
    free(k->came[RIGHT]);
    free(k);
    *self = NULL;
    return MPI_SUCCESS;
}
