/* message-rate: one rank sends `steps` messages to another, n doubles each, one after the other.
 *
 * Ranks work in pairs: 0 sends to 1, 2 sends to 3; the last of an odd number sends to nobody.  in[0] says in which mode a
 * sender sends: in standard mode, or in synchronous mode, where a send is not complete before its receive has begun.
 * The rest of `in` is the message.  One of its elements grows by 1 before each sending, and both ranks add that element
 * up, so that no message can be missed.  out[0] is the sum, the rest of `out` is the message.
 *
 * Buffer, count, peer and tag are the same for every message.  All the same each message gets a request of its own:
 * Isend and Irecv make one, Wait frees it.
 *
 * Convert it: make persistent requests once, in init, start them for each message, and free them at the end. */

enum { TAG = 1 };
enum { STANDARD, SYNCHRONOUS }; /* what in[0] may be */

struct kernel {
    MPI_Comm comm;
    int sends, peer; /* whether this rank sends, and the other rank of the pair */
    int n;
    long steps;
    const double *in;
    double *out;
    double *message; /* in `out`, behind the sum */
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
    return MPI_SUCCESS;
}

/* Sends all messages, in the mode that is asked for; returns their sum in *total. */
static int send_all(struct kernel *k, double *total) {
    int mode = (int)k->in[0];
    memcpy(k->message, k->in + 1, sizeof(double) * (size_t)k->n);
    for (long step = 0; step < k->steps; step++) {
        long i = step % k->n;
        MPI_Request request;
        k->message[i] += 1;
        if (mode == SYNCHRONOUS)
            TRY(MPI_Issend(k->message, k->n, MPI_DOUBLE, k->peer, TAG, k->comm, &request));
        else
            TRY(MPI_Isend(k->message, k->n, MPI_DOUBLE, k->peer, TAG, k->comm, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        *total += k->message[i];
    }
    return MPI_SUCCESS;
}

/* Receives all messages; returns their sum in *total. */
static int receive_all(struct kernel *k, double *total) {
    for (long step = 0; step < k->steps; step++) {
        MPI_Request request;
        TRY(MPI_Irecv(k->message, k->n, MPI_DOUBLE, k->peer, TAG, k->comm, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
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
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
