/* progress: warm plates in a ring, one on each rank, and a wind that carries heat from plate to plate.
 *
 * In each of `steps` steps heat first spreads along a plate of n cells.  An eighth of every cell then goes to the
 * plate on the left, a quarter to the one on the right, and the plate keeps the rest.  Both phases do modelled work,
 * 1 to 3 units of it, differently on each rank and in each step, as on a mesh that is refined unevenly.
 *
 * The receives are posted first, and a send is completed before its buffer is filled again.  The second phase is cut
 * into pieces with a test of the receives between them.  What the test answers is not looked at: it is there because
 * MPI moves data inside its calls, all that it can and not only those of the requests tested, so a neighbour that
 * waits for its send is let go after a piece at the latest.  Where all receives are complete their requests are null,
 * and both the tests that follow and the MPI_Waitall return at once.  A single test right after the sends would do
 * nothing: there the MPI_Wait has just done the same. */

enum { LEFT, RIGHT, SIDES }; /* a message's tag is the way it goes */

/* step 1: cut the second phase into pieces */
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
        TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }

    for (int i = 0; i < k->n; i++) k->now[i] = 0.625 * k->spread[i];
    /* step 1: cut the second phase into pieces */
    for (int piece = 0; piece < PIECES; piece++) {
        kernel_work(amount(k, step, 1) / PIECES);
        /* step 2: test the receives after each piece, so that MPI can move what waits */
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
