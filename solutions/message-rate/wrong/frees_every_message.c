/* expect: CRASHED - frees the request after each message and starts it again */
/* Each request is freed as soon as its message is complete, as Wait does with an Isend.  The next start finds
 * MPI_REQUEST_NULL, and starting that is an error. */

enum { TAG = 1 };
enum { STANDARD, SYNCHRONOUS }; /* what in[0] may be */

struct kernel {
    MPI_Comm comm;
    int sends, peer; /* whether this rank sends, and the other rank of the pair */
    int n;
    long steps;
    const double *in;
    double *out;
    double *message;         /* in `out`, behind the sum */
    MPI_Request requests[2]; /* of a sender; a receiver has the first alone */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    int rank, ranks;
    if (!k) return MPI_ERR_NO_MEM;
    TRY(MPI_Comm_rank(comm, &rank));
    TRY(MPI_Comm_size(comm, &ranks));
    k->comm = comm;
    k->sends = rank % 2 == 0;
    k->peer = k->sends ? rank + 1 : rank - 1;
    if (k->peer == ranks) k->peer = MPI_PROC_NULL;
    k->n = (int)shape->n;
    k->steps = shape->steps;
    k->in = in;
    k->out = out;
    k->message = out + 1;
    k->requests[SYNCHRONOUS] = MPI_REQUEST_NULL;
    if (k->sends) {
        TRY(MPI_Send_init(k->message, k->n, MPI_DOUBLE, k->peer, TAG, comm, &k->requests[STANDARD]));
        TRY(MPI_Ssend_init(k->message, k->n, MPI_DOUBLE, k->peer, TAG, comm, &k->requests[SYNCHRONOUS]));
    } else {
        TRY(MPI_Recv_init(k->message, k->n, MPI_DOUBLE, k->peer, TAG, comm, &k->requests[0]));
    }
    return MPI_SUCCESS;
}

/* Sends all messages, in the mode that is asked for; returns their sum in *total. */
static int send_all(struct kernel *k, double *total) {
    int mode = (int)k->in[0];
    memcpy(k->message, k->in + 1, sizeof(double) * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
        long i = step % k->n;
        k->message[i] += 1;
        TRY(MPI_Start(&k->requests[mode]));
        TRY(MPI_Wait(&k->requests[mode], MPI_STATUS_IGNORE));
        TRY(MPI_Request_free(&k->requests[mode]));
        *total += k->message[i];
    }
    return MPI_SUCCESS;
}

/* Receives all messages; returns their sum in *total. */
static int receive_all(struct kernel *k, double *total) {
    for (long step = 0; step < k->steps; step++) {
        TRY(MPI_Start(&k->requests[0]));
        TRY(MPI_Wait(&k->requests[0], MPI_STATUS_IGNORE));
        TRY(MPI_Request_free(&k->requests[0]));
        *total += k->message[step % k->n];
    }
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    double total = 0;
    TRY(k->sends ? send_all(k, &total) : receive_all(k, &total));
    k->out[0] = total;
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    for (int i = 0; i < 2; i++)
        if ((*self)->requests[i] != MPI_REQUEST_NULL) TRY(MPI_Request_free(&(*self)->requests[i]));
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
