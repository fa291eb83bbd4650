/* expect: WRONG_ANSWER - one set of requests for two arrays that swap */
/* One set of requests serves both arrays.  It stays bound to the first: every other step sends old cells from it and
 * receives into it, while the halo of the other array is never filled. */

enum { TO_LEFT = 1, TO_RIGHT = 2 }; /* a message's tag is the way it goes: two ranks are left and right of each other */

struct kernel {
    MPI_Comm comm;
    int left, right, n;
    long steps;
    double work; /* of a step, modelled; 0 in most cases */
    const double *in;
    double *out;
    double *cells[2]; /* cells 1 to n are this rank's, 0 and n + 1 its halo */
    MPI_Request requests[4];
};

/* Makes the requests that receive the halo of `cells` and send its first and last cell. */
static int bind(struct kernel *k, double *cells, MPI_Request requests[4]) {
    TRY(MPI_Recv_init(&cells[0], 1, MPI_DOUBLE, k->left, TO_RIGHT, k->comm, &requests[0]));
    TRY(MPI_Recv_init(&cells[k->n + 1], 1, MPI_DOUBLE, k->right, TO_LEFT, k->comm, &requests[1]));
    TRY(MPI_Send_init(&cells[1], 1, MPI_DOUBLE, k->left, TO_LEFT, k->comm, &requests[2]));
    TRY(MPI_Send_init(&cells[k->n], 1, MPI_DOUBLE, k->right, TO_RIGHT, k->comm, &requests[3]));
    return MPI_SUCCESS;
}

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank, ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->left = (rank + ranks - 1) % ranks;
    k->right = (rank + 1) % ranks;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->work = shape->work;
    k->in = in;
    k->out = out;
    for (int i = 0; i < 2; i++) {
        k->cells[i] = calloc((size_t)k->n + 2, sizeof *k->cells[i]);
        if (!k->cells[i]) return MPI_ERR_NO_MEM;
    }
    return bind(k, k->cells[0], k->requests);
}

int kernel_run(struct kernel *k) {
    memcpy(&k->cells[0][1], k->in, sizeof(double) * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
        double *old = k->cells[step % 2], *new = k->cells[(step + 1) % 2];
        TRY(MPI_Startall(4, k->requests));
        TRY(MPI_Waitall(4, k->requests, MPI_STATUSES_IGNORE));
        kernel_work(k->work);
        for (int i = 1; i <= k->n; i++) new[i] = 0.5 * old[i] + 0.25 * (old[i - 1] + old[i + 1]);
    }
    memcpy(k->out, &k->cells[k->steps % 2][1], sizeof(double) * (size_t)k->n);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    for (int j = 0; j < 4; j++) TRY(MPI_Request_free(&(*self)->requests[j]));
    for (int i = 0; i < 2; i++) free((*self)->cells[i]);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
