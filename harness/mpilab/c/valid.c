/* Arguments that the standard forbids and the MPI library does not look at: it would crash, or not care.
 *
 * Theory of operation.  What MPICH checks itself (negative counts, ranks out of range, null handles) is left to it; its error
 * becomes a finding.  Here is the rest: handles of objects that were freed, buffers that overlap, MPI_IN_PLACE where it has no
 * meaning, colours that are none. */
#define _GNU_SOURCE
#include "strict.h"

#include <stdint.h>

/* A freed object is used: the call must not reach the MPI library, which may take whatever lies there now for it. */
int mpilab_freed(const struct op *op) {
    static const char *const names[] = {"communicator", "datatype", "datatype", "operation"};
    const int kinds[] = {KIND_NEW_COMM, KIND_NEW_TYPE, KIND_NEW_TYPE, KIND_NEW_OP};
    const uint64_t handles[] = {(uint64_t)(uintptr_t)op->comm, (uint64_t)(uintptr_t)op->send.type,
                                (uint64_t)(uintptr_t)op->recv.type, (uint64_t)(uintptr_t)op->op};
    for (int i = 0; i < 4; i++) {
        long by = handles[i] ? mpilab_object_freed(kinds[i], handles[i]) : 0;
        if (!by) continue;
        mpilab_log_bare(op);
        mpilab_finding("invalid-argument", op->number, NULL, "%s is given a %s that has been freed",
                       mpilab_plain_names[op->call], names[i]);
        return 1;
    }
    return 0;
}

static int misplaced(const struct op *op) {
    enum base base = mpilab_base(op->call);
    int sends = op->send.buf == MPI_IN_PLACE, receives = op->recv.buf == MPI_IN_PLACE, rank = 0, inter = 0;
    if (!sends && !receives) return 0;
    if (op->kind != KIND_COLLECTIVE) return 1;
    if (PMPI_Comm_test_inter(op->comm, &inter) || inter) return 0;
    PMPI_Comm_rank(op->comm, &rank);
    switch (base) {
    case BASE_GATHER:
    case BASE_GATHERV:
    case BASE_REDUCE:
        return (sends && rank != op->root) || (receives && rank == op->root);
    case BASE_SCATTER:
    case BASE_SCATTERV:
        return (receives && rank != op->root) || (sends && rank == op->root);
    case BASE_BCAST:
    case BASE_NEIGHBOR:
        return 1;
    default:
        return receives;
    }
}

static int overlap(const struct op *op) {
    if (op->kind != KIND_SENDRECV) return 0;
    struct blocks sent = {.whole = 1}, received = {.whole = 1};
    mpilab_blocks_add(&sent, op->send.buf, op->send.count, op->send.type);
    mpilab_blocks_add(&received, op->recv.buf, op->recv.count, op->recv.type);
    int found = 0;
    for (size_t i = 0; i < sent.count && !found; i++)
        for (size_t k = 0; k < received.count && !found; k++)
            found = sent.list[i].base < received.list[k].base + received.list[k].bytes &&
                    received.list[k].base < sent.list[i].base + sent.list[i].bytes;
    mpilab_blocks_free(&sent);
    mpilab_blocks_free(&received);
    return found;
}

/* Looks at a call's arguments, and says what is wrong.  Returns 0 when the call must not be made. */
int mpilab_valid(const struct op *op) {
    const char *name = mpilab_plain_names[op->call];
    if (op->kind >= KIND_NEW_COMM || op->kind == KIND_OTHER) {
        if (mpilab_is(op->call, "Comm_split") && op->argument < 0 && op->argument != MPI_UNDEFINED)
            mpilab_finding("invalid-argument", op->number, NULL,
                           "%s is given colour %d: a colour is not negative, or MPI_UNDEFINED", name, op->argument);
        return 1;
    }
    if (misplaced(op)) {
        mpilab_finding("invalid-argument", op->number, NULL, "%s is given MPI_IN_PLACE where it has no meaning", name);
        return 0;
    }
    if (overlap(op))
        mpilab_finding("invalid-argument", op->number, NULL,
                       "%s sends from and receives into buffers that overlap; MPI_Sendrecv_replace may", name);
    return 1;
}
