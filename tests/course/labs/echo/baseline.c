/* Echo, with more messages than it needs: each number goes by itself. */
struct kernel {
    MPI_Comm comm;
    long n, steps;
    const double *in;
    double *out;
    int left, right;
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    int rank, size;
    struct kernel *k = malloc(sizeof *k);
    if (!k) return 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *k = (struct kernel){comm, shape->n, shape->steps, in, out, (rank + size - 1) % size, (rank + 1) % size};
    *self = k;
    return 0;
}

int kernel_run(struct kernel *k) {
    for (long step = 0; step < k->steps; step++)
        for (long i = 0; i < k->n; i++) {
            MPI_Sendrecv(k->in + i, 1, MPI_DOUBLE, k->left, 0, k->out + i, 1, MPI_DOUBLE, k->right, 0, k->comm,
                         MPI_STATUS_IGNORE);
            k->out[i] *= 2;
        }
    return 0;
}

int kernel_free(struct kernel **self) {
    free(*self);
    *self = NULL;
    return 0;
}
