/* adi: sweeps along the lines of x, then of y, then of z, through blocks of n x n x n cells, `steps` times.
 *
 * A cell holds 20 quantities, as in a flow that burns; a sweep mixes into each cell something of the cell before it
 * on its line.  The ranks are a square that is closed in both directions, with a block each: along x the next block
 * is that of the rank on the right, along y of the one below, along z of the one below on the right.  A line begins
 * at the last cell of that line in the block before, as it is when the phase begins.  What a sweep needs to know of
 * its lines is prepared first; that needs no neighbour, takes nearly all of the time, and is modelled.  The ranks are
 * coloured like a chessboard: in each phase those of one colour have twice as much to prepare as the others, and in
 * the next phase it is the other way round.
 *
 * Each phase starts a send and a receive, prepares, and waits for both, so the planes seem to travel meanwhile.  But
 * a plane above the eager limit moves only while its receiver is in an MPI call, and the receiver prepares.  The
 * first wait, the one for the send, lasts until the next rank has done that too: a phase takes as long as the slower
 * of two ranks needs.
 *
 * Convert it: wait for a send only when its buffer is needed again, post each receive a phase ahead, and sweep first
 * the lines that make up the next phase's plane, so that it is sent before the others are prepared.  The pattern is
 * that of a benchmark on 25 processes, from a manual by Sun on reading profiles. */

enum { X, Y, Z, AXES, CELL = 20 };
static const char *const NAMES[AXES] = {"x", "y", "z"};
static const double SHARE = 0.5; /* of the cell before, mixed into a cell */

struct kernel {
    MPI_Comm comm;
    int before[AXES], next[AXES]; /* the neighbours along each axis */
    int x, y;                     /* the rank's column and row */
    int n, plane_size;
    long steps;
    double work; /* to prepare all lines of a phase, on a rank that has little to do */
    const double *in;
    double *out;                        /* the block, with z running fastest */
    double *plane[AXES], *halo[AXES];   /* the last plane as it is sent, and that of the block before */
    MPI_Request sent[AXES], came[AXES]; /* their requests */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank, ranks, side = 1;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &ranks));
    while (side * side < ranks) side++;
    k->comm = comm;
    k->x = rank % side;
    k->y = rank / side;
    k->n = (int)shape->n;
    k->plane_size = k->n * k->n * CELL;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    for (int axis = 0; axis < AXES; axis++) {
        int right = axis != Y, down = axis != X;
        k->next[axis] = (k->y + down) % side * side + (k->x + right) % side;
        k->before[axis] = (k->y + side - down) % side * side + (k->x + side - right) % side;
        k->sent[axis] = k->came[axis] = MPI_REQUEST_NULL;
        k->plane[axis] = calloc((size_t)k->plane_size, sizeof(double));
        k->halo[axis] = calloc((size_t)k->plane_size, sizeof(double));
        if (!k->plane[axis] || !k->halo[axis]) return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Cell i of a line along an axis; its lines are counted by layer and j in the directions of the other two. */
static double *cell(const struct kernel *k, int axis, int layer, int j, int i) {
    const long n = k->n, stride[AXES] = {n * n * CELL, n * CELL, CELL};
    return k->out + i * stride[axis] + layer * stride[(axis + 1) % AXES] + j * stride[(axis + 2) % AXES];
}

/* Sends the last plane along an axis to the next rank. */
static int send_plane(struct kernel *k, int axis) {
    double *to = k->plane[axis];
    for (int layer = 0; layer < k->n; layer++)
        for (int j = 0; j < k->n; j++, to += CELL) memcpy(to, cell(k, axis, layer, j, k->n - 1), CELL * sizeof *to);
    return MPI_Isend(k->plane[axis], k->plane_size, MPI_DOUBLE, k->next[axis], axis, k->comm, &k->sent[axis]);
}

/* Receives the last plane of the rank before. */
static int receive_plane(struct kernel *k, int axis) {
    return MPI_Irecv(k->halo[axis], k->plane_size, MPI_DOUBLE, k->before[axis], axis, k->comm, &k->came[axis]);
}

/* Finds out what the sweep of phase i needs to know of the lines of layers `first` to `last`: modelled. */
static void prepare(struct kernel *k, long i, int first, int last) {
    long times = 1 + (k->x + k->y + i) % 2;
    kernel_work(k->work * (double)times * (last - first + 1) / k->n);
}

/* Sweeps along the lines of layers `first` to `last`. */
static void sweep(struct kernel *k, int axis, int first, int last) {
    for (int layer = first; layer <= last; layer++)
        for (int j = 0; j < k->n; j++) {
            const double *before = k->halo[axis] + ((long)layer * k->n + j) * CELL;
            for (int i = 0; i < k->n; i++) {
                double *u = cell(k, axis, layer, j, i);
                for (int q = 0; q < CELL; q++) u[q] = (u[q] + SHARE * before[q]) / (1 + SHARE);
                before = u;
            }
        }
}

int kernel_run(struct kernel *k) {
    const long phases = AXES * k->steps;
    memcpy(k->out, k->in, sizeof(double) * (size_t)k->plane_size * (size_t)k->n);
    for (long i = 0; i < phases; i++) {
        int axis = (int)(i % AXES);
        mpilab_region_begin(NAMES[axis]);
        TRY(send_plane(k, axis));
        TRY(receive_plane(k, axis));
        prepare(k, i, 0, k->n - 1);
        TRY(MPI_Wait(&k->sent[axis], MPI_STATUS_IGNORE));
        TRY(MPI_Wait(&k->came[axis], MPI_STATUS_IGNORE));
        sweep(k, axis, 0, k->n - 1);
        mpilab_region_end();
    }
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    for (int axis = 0; axis < AXES; axis++) {
        free((*self)->plane[axis]);
        free((*self)->halo[axis]);
    }
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
