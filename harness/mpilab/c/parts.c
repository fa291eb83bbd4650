/* What a call sends and receives on this rank: which side counts, in how many pieces, which bytes.
 *
 * Theory of operation.  A collective and its nonblocking, persistent and large-count forms are one base.  For each base the
 * standard says at which ranks the send and the receive side are significant, and whether a side has one piece or one for
 * each rank.  Everything else (log lines, bytes in flight, shadows) follows from that. */
#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum base base;
} bases[] = {
    {"barrier", BASE_BARRIER},     {"bcast", BASE_BCAST},
    {"gather", BASE_GATHER},       {"gatherv", BASE_GATHERV},
    {"scatter", BASE_SCATTER},     {"scatterv", BASE_SCATTERV},
    {"allgather", BASE_ALLGATHER}, {"allgatherv", BASE_ALLGATHERV},
    {"alltoall", BASE_ALLTOALL},   {"alltoallv", BASE_ALLTOALLV},
    {"alltoallw", BASE_ALLTOALLW}, {"reduce", BASE_REDUCE},
    {"allreduce", BASE_ALLREDUCE}, {"reduce_scatter_block", BASE_REDUCE_SCATTER_BLOCK},
    {"scan", BASE_SCAN},           {"reduce_scatter", BASE_REDUCE_SCATTER},
    {"exscan", BASE_EXSCAN},
};

/* The call's name in small letters, without MPI_, _c and _init. */
static void stem(enum call_id call, char *name, size_t size) {
    snprintf(name, size, "%s", mpilab_call_names[call] + 4);
    for (char *c = name; *c; c++) *c |= *c >= 'A' && *c <= 'Z' ? 32 : 0;
    size_t length = strlen(name);
    if (length > 2 && !strcmp(name + length - 2, "_c")) name[length -= 2] = 0;
    if (length > 5 && !strcmp(name + length - 5, "_init")) name[length - 5] = 0;
}

enum base mpilab_base(enum call_id call) {
    char name[64];
    stem(call, name, sizeof name);
    if (strstr(name, "neighbor")) return BASE_NEIGHBOR;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (!strcmp(name, bases[i].name) || (name[0] == 'i' && !strcmp(name + 1, bases[i].name))) return bases[i].base;
    return BASE_NONE;
}

int mpilab_is(enum call_id call, const char *name) {
    const char *own = mpilab_call_names[call] + 4;
    size_t length = strlen(name);
    return !strncmp(own, name, length) && (!own[length] || !strcmp(own + length, "_c"));
}

int mpilab_persistent(enum call_id call) { return strstr(mpilab_call_names[call], "_init") != NULL; }

static int rank_in(MPI_Comm comm) {
    int rank = 0, inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank);
    return inter ? -1 : rank;
}

/* The root, seen from this rank: 1 it is here, 0 elsewhere. */
static int at_root(const struct op *op) {
    return op->root == MPI_ROOT || (op->root >= 0 && op->root == rank_in(op->comm));
}

int mpilab_sends(const struct op *op) {
    if (op->kind == KIND_ACCESS) return op->send.buf && op->op != MPI_NO_OP;
    if (op->kind != KIND_COLLECTIVE)
        return op->kind == KIND_SEND || op->kind == KIND_SENDRECV || op->kind == KIND_REPLACE;
    if (op->root == MPI_PROC_NULL) return 0;
    switch (mpilab_base(op->call)) {
    case BASE_BCAST:
    case BASE_SCATTER:
    case BASE_SCATTERV:
        return at_root(op);
    case BASE_BARRIER:
    case BASE_NONE:
        return 0;
    case BASE_GATHER:
    case BASE_GATHERV:
    case BASE_REDUCE:
        if (op->root == MPI_ROOT) return 0; /* fall through */
    default:
        return op->send.buf != MPI_IN_PLACE;
    }
}

int mpilab_receives(const struct op *op) {
    if (op->kind == KIND_ACCESS) return op->recv.buf != NULL;
    if (op->kind != KIND_COLLECTIVE)
        return op->kind == KIND_RECV || op->kind == KIND_MRECV || op->kind == KIND_SENDRECV || op->kind == KIND_REPLACE;
    if (op->root == MPI_PROC_NULL) return 0;
    switch (mpilab_base(op->call)) {
    case BASE_BCAST:
        return !at_root(op);
    case BASE_SCATTER:
    case BASE_SCATTERV:
        return op->root != MPI_ROOT && op->recv.buf != MPI_IN_PLACE;
    case BASE_GATHER:
    case BASE_GATHERV:
    case BASE_REDUCE:
        return at_root(op);
    case BASE_BARRIER:
    case BASE_NONE:
        return 0;
    default:
        return 1;
    }
}

/* Pieces of a side: 1 where all are alike, else one a rank. */
int mpilab_per_rank(const struct op *op, int receive) {
    const struct part *part = receive ? &op->recv : &op->send;
    if (op->kind != KIND_COLLECTIVE) return 1;
    if (mpilab_base(op->call) == BASE_NEIGHBOR) return 0; /* not looked into */
    if (mpilab_base(op->call) == BASE_REDUCE_SCATTER && !receive) return 0;
    if (!part->counts) return 1;
    return mpilab_comm_peers(op->comm);
}

/* Neighbours in the graph of a communicator; 0 on others, for a neighbour in a grid may be none. */
int mpilab_degree(MPI_Comm comm, int receive) {
    int kind, in = 0, out = 0, weighted;
    if (PMPI_Topo_test(comm, &kind) || kind != MPI_DIST_GRAPH) return 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return receive ? in : out;
}

/* Count and type of piece `i`. */
int64_t mpilab_piece(const struct op *op, const struct part *part, int i, MPI_Datatype *type) {
    *type = part->types ? part->types[i] : part->type;
    if (!part->counts) return part->count;
    return op->large ? ((const MPI_Count *)part->counts)[i] : ((const int *)part->counts)[i];
}

static char *piece_start(const struct op *op, const struct part *part, int i, MPI_Datatype type, int64_t before) {
    MPI_Count lower, extent = 0;
    PMPI_Type_get_extent_c(type, &lower, &extent);
    if (!part->counts) return (char *)part->buf + (int64_t)i * part->count * extent;
    if (!part->displs) return (char *)part->buf + before * extent;
    int wide = op->large || (part->types && mpilab_base(op->call) == BASE_NEIGHBOR);
    int64_t displacement = wide ? ((const MPI_Aint *)part->displs)[i] : ((const int *)part->displs)[i];
    return (char *)part->buf + displacement * (part->types ? 1 : extent);
}

/* The bytes of a side: `per_rank` says into how many equal pieces a one-piece description is to be repeated. */
void mpilab_part_blocks(const struct op *op, const struct part *part, int per_rank, struct blocks *blocks) {
    int receive = part == &op->recv, pieces = per_rank;
    if (part->counts)
        pieces =
            mpilab_base(op->call) == BASE_NEIGHBOR ? mpilab_degree(op->comm, receive) : mpilab_per_rank(op, receive);
    int64_t before = 0;
    for (int i = 0; i < pieces; i++) {
        MPI_Datatype type;
        int64_t count = mpilab_piece(op, part, i, &type);
        if (count > 0) mpilab_blocks_add(blocks, piece_start(op, part, i, type, before), count, type);
        before += count;
    }
}

/* A side as a list of signatures for the log. */
size_t mpilab_part_text(const struct op *op, const struct part *part, int pieces, char *into, size_t size) {
    size_t length = 0;
    into[0] = 0;
    for (int i = 0; i < pieces && length + 200 < size; i++) {
        MPI_Datatype type;
        char one[200];
        int64_t count = mpilab_piece(op, part, i, &type);
        mpilab_signature_text(mpilab_signature(count, type), one, sizeof one);
        length += (size_t)sprintf(into + length, "%s\"%s\"", i ? "," : "", one);
    }
    return length;
}
