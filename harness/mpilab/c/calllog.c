/* A call as lines of the strict log: at entry what it was given, at return what came of it.
 *
 * Theory of operation.  Ranks, tags and signatures are written as the analysis wants them (diagnosis/log.py): the same for all
 * MPI libraries, and only where the standard calls them significant. */
#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <string.h>

#define SIDE 60000 /* characters of a list of signatures */

static int shown_rank(int rank) { return rank == MPI_ANY_SOURCE ? -1 : rank == MPI_PROC_NULL ? -2 : rank; }

static int shown_tag(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }

const char *mpilab_operator_name(MPI_Op op, char *into, size_t size) {
    static const struct {
        MPI_Op op;
        const char *name;
    } known[] = {{MPI_SUM, "MPI_SUM"},         {MPI_MAX, "MPI_MAX"},       {MPI_MIN, "MPI_MIN"},
                 {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},     {MPI_BAND, "MPI_BAND"},
                 {MPI_LOR, "MPI_LOR"},         {MPI_BOR, "MPI_BOR"},       {MPI_LXOR, "MPI_LXOR"},
                 {MPI_BXOR, "MPI_BXOR"},       {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
                 {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},   {MPI_OP_NULL, "MPI_OP_NULL"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].op == op) return known[i].name;
    snprintf(into, size, "user"); /* another handle on each rank */
    return into;
}

static size_t point_to_point(const struct op *op, char *into, size_t size) {
    char sent[200] = "", received[200] = "";
    int sends = op->dest != NOBODY, receives = op->source != NOBODY, both = sends && receives;
    const struct part *data = sends ? &op->send : &op->recv;
    size_t length = 0;
    if (sends) mpilab_signature_text(mpilab_signature(op->send.count, op->send.type), sent, sizeof sent);
    if (receives) mpilab_signature_text(mpilab_signature(op->recv.count, op->recv.type), received, sizeof received);
    int data_known = op->kind != KIND_PROBE && op->kind != KIND_MPROBE;
    if (sends)
        length +=
            (size_t)snprintf(into + length, size - length, ",\"dest\":%d,\"%s\":%d,\"%s\":\"%s\"", shown_rank(op->dest),
                             both ? "stag" : "tag", shown_tag(op->tag), both ? "ssig" : "sig", sent);
    if (receives)
        length += (size_t)snprintf(into + length, size - length, ",\"source\":%d,\"%s\":%d", shown_rank(op->source),
                                   both ? "rtag" : "tag", shown_tag(op->rtag));
    if (receives && data_known)
        length += (size_t)snprintf(into + length, size - length, ",\"%s\":\"%s\"", both ? "rsig" : "sig", received);
    if (data_known && !both)
        length += (size_t)snprintf(into + length, size - length, ",\"count\":%lld,\"type\":\"%s\"",
                                   (long long)data->count, mpilab_type_name(data->type));
    return length;
}

static size_t collective(const struct op *op, char *into, size_t size) {
    char name[64];
    size_t length = 0;
    int inter = 0;
    if (op->root != NOBODY) length += (size_t)snprintf(into + length, size - length, ",\"root\":%d", op->root);
    enum base base = mpilab_base(op->call);
    if ((base >= BASE_REDUCE && base <= BASE_EXSCAN))
        length += (size_t)snprintf(into + length, size - length, ",\"op\":\"%s\"",
                                   mpilab_operator_name(op->op, name, sizeof name));
    if (PMPI_Comm_test_inter(op->comm, &inter)) return length;
    for (int receive = 0; receive < 2; receive++) {
        const struct part *part = receive ? &op->recv : &op->send;
        int pieces = mpilab_per_rank(op, receive);
        if (!pieces || part->buf == MPI_IN_PLACE || !(receive ? mpilab_receives(op) : mpilab_sends(op))) continue;
        length += (size_t)snprintf(into + length, size - length, ",\"%s\":[", receive ? "recv" : "send");
        length += mpilab_part_text(op, part, pieces, into + length, size - length > SIDE ? SIDE : size - length - 2);
        length += (size_t)snprintf(into + length, size - length, "]");
    }
    return length;
}

int mpilab_is_collective(const struct op *op) {
    if (op->kind == KIND_COLLECTIVE || op->kind == KIND_NEW_WIN || op->kind == KIND_NEW_FILE ||
        op->kind == KIND_FREE_COMM || op->kind == KIND_FREE_WIN || mpilab_is(op->call, "Win_fence"))
        return op->comm != MPI_COMM_NULL;
    return op->kind == KIND_NEW_COMM && op->comm != MPI_COMM_NULL && !mpilab_is(op->call, "Comm_create_group") &&
           !mpilab_is(op->call, "Intercomm_create") && !mpilab_is(op->call, "Comm_join");
}

/* Only which call, and where: for one whose arguments cannot be looked at. */
void mpilab_log_bare(const struct op *op) {
    char at[4000];
    mpilab_log("{\"k\":\"call\",\"n\":%ld,\"call\":\"%s\",\"at\":\"%s\"}", op->number, mpilab_plain_names[op->call],
               mpilab_json(mpilab_place(op->place), at, sizeof at));
}

void mpilab_log_call(struct op *op) {
    static __thread char details[4 * SIDE];
    char name[64], at[4000];
    size_t length = 0;
    details[0] = 0;
    if (op->comm != MPI_COMM_NULL || op->kind == KIND_SEND || op->kind == KIND_RECV)
        length += (size_t)sprintf(details, ",\"comm\":%d", mpilab_comm_id(op->comm));
    switch (op->kind) {
    case KIND_SEND:
    case KIND_RECV:
    case KIND_SENDRECV:
    case KIND_REPLACE:
    case KIND_PROBE:
    case KIND_MPROBE:
    case KIND_MRECV:
        length += point_to_point(op, details + length, sizeof details - length);
        break;
    case KIND_COLLECTIVE:
        length += collective(op, details + length, sizeof details - length);
        break;
    case KIND_ACCESS:
        if (op->op)
            length +=
                (size_t)sprintf(details + length, ",\"op\":\"%s\"", mpilab_operator_name(op->op, name, sizeof name));
        /* fall through */
    case KIND_EPOCH:
        length += mpilab_rma_text(op, details + length, sizeof details - length);
        break;
    default:
        break;
    }
    if (mpilab_is_collective(op) && op->standing->comm >= 0)
        sprintf(details + length, ",\"seq\":%d", mpilab_page->comms[op->standing->comm].turns);
    mpilab_log("{\"k\":\"call\",\"n\":%ld,\"call\":\"%s\",\"at\":\"%s\",\"t\":%ld%s}", op->number,
               mpilab_plain_names[op->call], mpilab_json(mpilab_place(op->place), at, sizeof at), mpilab_now_ns(),
               details);
}

void mpilab_log_return(struct op *op, int request, const MPI_Status *status) {
    char details[400] = "", text[MPI_MAX_ERROR_STRING + 1] = "", quoted[2 * MPI_MAX_ERROR_STRING + 20] = "";
    int class = 0, length = 0, n = 0;
    if (op->result) {
        PMPI_Error_class(op->result, &class);
        PMPI_Error_string(op->result, text, &length);
        mpilab_json(text, quoted, sizeof quoted);
    }
    if (request) n += sprintf(details + n, ",\"req\":%d", request);
    if (status && !op->result) {
        MPI_Count bytes = 0;
        PMPI_Get_elements_c(status, MPI_BYTE, &bytes);
        n += sprintf(details + n, ",\"source\":%d,\"tag\":%d,\"bytes\":%lld", shown_rank(status->MPI_SOURCE),
                     shown_tag(status->MPI_TAG), (long long)bytes);
    }
    mpilab_log("{\"k\":\"ret\",\"n\":%ld,\"err\":%d,\"t\":%ld%s%s%s%s}", op->number, class, mpilab_now_ns(), details,
               class ? ",\"text\":\"" : "", quoted, class ? "\"" : "");
}
