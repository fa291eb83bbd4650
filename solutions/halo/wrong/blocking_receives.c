/* expect: WRONG_CALLS - receives the halo with blocking calls */
/* Sends are nonblocking, receives are not.  It is right and safe, since all sends are posted before the first
 * receive blocks; but the inner rows wait for the halo that they do not need. */

enum { UP = 1, DOWN = 2 }; /* a message's tag is the way it goes */

struct kernel {
    MPI_Comm comm;
    int above, below; /* the neighbours, MPI_PROC_NULL at the ends: then the halo stays 0 */
    int rank, rows, n;
    long steps;
    double work; /* of a row, modelled; 0 in most cases */
    const double *in;
    double *out;
    double *old, *new; /* rows 1 to `rows` are this rank's, 0 and rows + 1 its halo; a 0 at each end of a row */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank, ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    k->below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    k->rank = rank;
    k->n = (int)shape->n;
    k->rows = (int)(shape->n_in / shape->n);
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    k->old = calloc((size_t)(k->rows + 2) * (size_t)(k->n + 2), sizeof *k->old);
    k->new = calloc((size_t)(k->rows + 2) * (size_t)(k->n + 2), sizeof *k->new);
    return k->old && k->new ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* The first cell of row i of a grid. */
static double *row(const struct kernel *k, double *grid, int i) { return grid + (long)i * (k->n + 2) + 1; }

/* Sends the first row up and the last row down, and receives the halo from above and below. */
static int post(struct kernel *k, MPI_Request requests[2]) {
    TRY(MPI_Isend(row(k, k->old, 1), k->n, MPI_DOUBLE, k->above, UP, k->comm, &requests[0]));
    TRY(MPI_Isend(row(k, k->old, k->rows), k->n, MPI_DOUBLE, k->below, DOWN, k->comm, &requests[1]));
    TRY(MPI_Recv(row(k, k->old, 0), k->n, MPI_DOUBLE, k->above, DOWN, k->comm, MPI_STATUS_IGNORE));
    TRY(MPI_Recv(row(k, k->old, k->rows + 1), k->n, MPI_DOUBLE, k->below, UP, k->comm, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

/* Computes rows `first` to `last` of the new grid.  The modelled work of a row is four times as much on one rank in
 * four, in each step another one. */
static void sweep(struct kernel *k, long step, int first, int last) {
    kernel_work(k->work * (last - first + 1) * ((k->rank + step) % 4 == 0 ? 4 : 1));
    for (int i = first; i <= last; i++) {
        const double *up = row(k, k->old, i - 1), *mid = row(k, k->old, i), *down = row(k, k->old, i + 1);
        double *new = row(k, k->new, i);
        for (int j = 0; j < k->n; j++) new[j] = 0.25 * (up[j] + down[j] + mid[j - 1] + mid[j + 1]);
    }
}

int kernel_run(struct kernel *k) {
    const size_t row_bytes = sizeof(double) * (size_t)k->n;
    for (int i = 0; i < k->rows; i++) memcpy(row(k, k->old, i + 1), k->in + (long)i * k->n, row_bytes);
    for (long step = 0; step < k->steps; step++) {
        MPI_Request requests[2];
        TRY(post(k, requests));
        sweep(k, step, 2, k->rows - 1);
        TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        sweep(k, step, 1, 1);
        if (k->rows > 1) sweep(k, step, k->rows, k->rows);
        double *swap = k->old;
        k->old = k->new;
        k->new = swap;
    }
    for (int i = 0; i < k->rows; i++) memcpy(k->out + (long)i * k->n, row(k, k->old, i + 1), row_bytes);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->old);
    free((*self)->new);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
