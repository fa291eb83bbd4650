/* What the memory gives: a plain copy of n ints on each rank, all ranks at once.  figures.py holds MPI_Alltoallv against
 * it; no message is sent.  Each run copies between another pair of places, so that no cache holds them all. */

enum { PLACES = 24 };

struct kernel {
    size_t count; /* ints in a place */
    double *out;
    int *from, *to; /* PLACES of them, one after the other */
    int place;
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    if (!k) return MPI_ERR_NO_MEM;
    k->count = (size_t)shape->n;
    k->out = out;
    k->from = malloc(PLACES * k->count * sizeof(int));
    k->to = malloc(PLACES * k->count * sizeof(int));
    if (!k->from || !k->to) return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < PLACES * k->count; i++) {
        k->from[i] = (int)in[i % k->count];
        k->to[i] = 0; /* the system gives memory at the first touch, which must not be timed */
    }
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    const size_t start = (size_t)k->place * k->count;
    memcpy(k->to + start, k->from + start, k->count * sizeof(int));
    k->out[0] = k->to[start + k->count - 1];
    k->place = (k->place + 1) % PLACES;
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    free((*self)->from);
    free((*self)->to);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
