/* expect: ok - MPI behind a small library of functions, its requests in a struct on the heap; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct exchange {
    MPI_Request request[2];
    MPI_Comm comm;
};

static void check(int code, const char *what) {
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "%s failed\n", what);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
}
#define CHECK(call) check(call, #call)

static void post_receive(struct exchange *e, void *to, size_t bytes, int from) {
    CHECK(MPI_Irecv(to, (int)bytes, MPI_BYTE, from, 0, e->comm, &e->request[0]));
}

static void post_send(struct exchange *e, const void *from, size_t bytes, int to) {
    CHECK(MPI_Isend(from, (int)bytes, MPI_BYTE, to, 0, e->comm, &e->request[1]));
}

static struct exchange *begin(MPI_Comm comm, const void *out, void *in, size_t bytes) {
    int rank, size;
    struct exchange *e = malloc(sizeof *e);
    CHECK(MPI_Comm_rank(comm, &rank));
    CHECK(MPI_Comm_size(comm, &size));
    e->comm = comm;
    post_receive(e, in, bytes, (rank + size - 1) % size);
    post_send(e, out, bytes, (rank + 1) % size);
    return e;
}

static void end(struct exchange *e) {
    CHECK(MPI_Waitall(2, e->request, MPI_STATUSES_IGNORE));
    free(e);
}

int main(int argc, char **argv) {
    int rank;
    CHECK(MPI_Init(&argc, &argv));
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    double out[8] = {rank}, in[8];
    struct exchange *e = begin(MPI_COMM_WORLD, out, in, sizeof in);
    end(e);
    printf("rank %d: %g\n", rank, in[0]);
    CHECK(MPI_Finalize());
    return 0;
}
