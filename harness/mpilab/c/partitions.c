/* Partitioned operations: each part of the buffer is in flight by itself.
 *
 * Theory of operation.  A part of a send is the program's until MPI_Pready says so, and in flight from there to completion;
 * a part of a receive is in flight from the start until MPI_Parrived says that it has come. */
#define _GNU_SOURCE
#include "flight.h"
#include "strict.h"

/* A part that was made ready before: MPI would be told twice. */
static int ready(const struct op *op, const struct operation *o, int part) {
    struct flight_area area;
    if (part < 0 || part >= o->parts) return 0;
    if (!mpilab_flight_find(o->part_base + (size_t)part * o->part_bytes, 1, 1, &area)) return 0;
    if (area.op != o->first_part + part) return 0;
    mpilab_finding("request-lifecycle", op->number, mpilab_place(area.site),
                   "%s makes partition %d ready a second time", mpilab_plain_names[op->call], part);
    return 1;
}

static void in_flight(const struct operation *o, int part, const void *site) {
    struct flight_block block = {o->part_base + (size_t)part * o->part_bytes, o->part_bytes, 0, 0};
    if (part >= 0 && part < o->parts) mpilab_flight_add(&block, 1, o->receives, o->first_part + part, site);
}

/* An operation of `op` has been made: where its parts are. */
void mpilab_parts_new(struct operation *o, const struct op *op) {
    const struct part *data = o->receives ? &op->recv : &op->send;
    struct signature s = mpilab_signature(data->count, data->type);
    if (op->argument <= 0 || !mpilab_contiguous(data->type)) return;
    o->parts = op->argument;
    o->part_base = data->buf;
    o->part_bytes = (size_t)s.bytes / (size_t)o->parts;
    o->first_part = mpilab_operation_numbers(o->parts);
}

void mpilab_parts_start(const struct operation *o, const void *site) {
    for (int i = 0; o->receives && i < o->parts; i++) in_flight(o, i, site);
}

/* A part is the program's again. */
static void arrived(const struct operation *o, int part) {
    struct flight_area area;
    char *at = o->part_base + (size_t)part * o->part_bytes;
    if (o->receives && mpilab_flight_find(at, 1, 1, &area) && area.op == o->first_part + part)
        mpilab_guard_part(at, o->part_bytes);
    mpilab_flight_remove(o->first_part + part);
}

void mpilab_parts_end(const struct operation *o) {
    for (int i = 0; i < o->parts; i++) arrived(o, i);
}

/* MPI_Pready and its kin, before the call; MPI_Parrived after it. */
int mpilab_partition(const struct op *op, int after) {
    const struct operation *o = mpilab_operation_of(*op->request);
    int twice = 0;
    if (!o) return 1;
    if (mpilab_is(op->call, "Parrived")) {
        if (after && *op->flag && op->first >= 0 && op->first < o->parts) arrived(o, op->first);
    } else if (!after && mpilab_is(op->call, "Pready_list")) {
        for (int i = 0; i < op->last; i++) twice |= ready(op, o, op->indices[i]);
        for (int i = 0; i < op->last; i++) in_flight(o, op->indices[i], op->place);
    } else if (!after) {
        int last = mpilab_is(op->call, "Pready_range") ? op->last : op->first;
        for (int i = op->first; i <= last; i++) twice |= ready(op, o, i);
        for (int i = op->first; i <= last; i++) in_flight(o, i, op->place);
    }
    return !twice;
}
