/* expect: WRONG_CALLS - one blocking call for both messages */
/* Both messages go into one MPI_Sendrecv, which has no requests to wait for in the wrong order.  It waits for both
 * before anything else is done: the time has moved from the wait into the call. */

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
    double *out;                      /* the block, with z running fastest */
    double *plane[AXES], *halo[AXES]; /* the last plane as it is sent, and that of the block before */
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

/* Sends the last plane along an axis to the next rank, and receives that of the rank before. */
static int exchange(struct kernel *k, int axis) {
    double *to = k->plane[axis];
    for (int layer = 0; layer < k->n; layer++)
        for (int j = 0; j < k->n; j++, to += CELL) memcpy(to, cell(k, axis, layer, j, k->n - 1), CELL * sizeof *to);
    return MPI_Sendrecv(k->plane[axis], k->plane_size, MPI_DOUBLE, k->next[axis], axis, k->halo[axis], k->plane_size,
                        MPI_DOUBLE, k->before[axis], axis, k->comm, MPI_STATUS_IGNORE);
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
        TRY(exchange(k, axis));
        prepare(k, i, 0, k->n - 1);
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
