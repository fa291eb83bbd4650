/* An exchange and WORK dependent multiply-adds, `steps` times.  WORK is defined by bench/timing.py. */
struct kernel {
    MPI_Comm comm;
    long n, steps;
    const double *in;
    double *out;
    int peer;
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    int rank;
    struct kernel *k = malloc(sizeof *k);
    if (!k) return 1;
    MPI_Comm_rank(comm, &rank);
    *k = (struct kernel){comm, shape->n, shape->steps, in, out, 1 - rank};
    *self = k;
    return 0;
}

int kernel_run(struct kernel *k) {
    double x = k->in[0];
    for (long step = 0; step < k->steps; step++) {
        MPI_Sendrecv(k->in, (int)k->n, MPI_DOUBLE, k->peer, 0, k->out, (int)k->n, MPI_DOUBLE, k->peer, 0, k->comm,
                     MPI_STATUS_IGNORE);
        for (long i = 0; i < WORK; i++) x = x * 0.999999 + 1e-7;
    }
    return x > 1e9; /* never, but the compiler can't know */
}

int kernel_free(struct kernel **self) {
    free(*self);
    *self = NULL;
    return 0;
}
