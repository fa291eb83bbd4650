/* What the memory gives: a plain copy of n ints on each rank, all ranks at once.  figures.py holds MPI_Alltoallv against
 * it; no message is sent. */

struct kernel {
    size_t bytes;
    double *out;
    int *from, *to;
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    if (!k) return MPI_ERR_NO_MEM;
    k->bytes = sizeof(int) * (size_t)shape->n;
    k->out = out;
    k->from = malloc(k->bytes);
    k->to = malloc(k->bytes);
    if (!k->from || !k->to) return MPI_ERR_NO_MEM;
    for (long i = 0; i < shape->n; i++) k->from[i] = (int)in[i];
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    memcpy(k->to, k->from, k->bytes);
    k->out[0] = k->to[k->bytes / sizeof(int) - 1];
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->from);
    free((*self)->to);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
