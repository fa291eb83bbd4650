/* Buffers between post and completion: everything that the standard lets go wrong with them, does.
 *
 * Theory of operation.  What is sent is summed up when it is posted and again when the operation completes: a difference is a
 * write in flight.  What is received goes to a shadow first; the program's own buffer holds poison (NaN as a floating-point
 * number) until completion, so a read in flight never sees the message early by luck, and a write in flight
 * shows because the poison is gone.  At completion the message is copied, and bytes that it did not bring get back what they
 * held.  All bytes are also told to flight.c, which C code compiled for it asks at every load and store. */
#define _GNU_SOURCE
#include "flight.h"
#include "strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SHADOW ((size_t)256 << 20)
#define SAID 64

static int said[SAID]; /* the last operations whose race has a line already */
static unsigned said_count;

static void to_flight(const struct blocks *b, int write, int id, const void *site) {
    struct flight_block *list = malloc(sizeof *list * (b->count + 1));
    for (size_t i = 0; i < b->count; i++) list[i] = (struct flight_block){b->list[i].base, b->list[i].bytes, 0, 0};
    if (b->count) mpilab_flight_add(list, b->count, write, id, site);
    free(list);
}

static uint64_t sum(const struct blocks *b) {
    uint64_t total = 14695981039346656037ull, word;
    for (size_t i = 0; i < b->count; i++) {
        const char *c = b->list[i].base;
        size_t left = b->list[i].bytes;
        for (; left >= 8; c += 8, left -= 8) {
            memcpy(&word, c, 8);
            total = (total ^ word) * 1099511628211ull;
            total ^= total >> 29;
        }
        for (; left; c++, left--) total = (total ^ (unsigned char)*c) * 1099511628211ull;
    }
    return total;
}

/* Into how many pieces a one-piece description of a collective's side is to be repeated. */
static int repeats(const struct op *op, int receive) {
    enum base base = mpilab_base(op->call);
    int many = base == BASE_ALLTOALL || (base == BASE_REDUCE_SCATTER_BLOCK && !receive) ||
               (receive ? base == BASE_GATHER || base == BASE_ALLGATHER : base == BASE_SCATTER);
    if (op->kind == KIND_COLLECTIVE && base == BASE_NEIGHBOR)
        return receive || strstr(mpilab_call_names[op->call], "alltoall") ? mpilab_degree(op->comm, receive) : 1;
    if (op->kind != KIND_COLLECTIVE || !many) return 1;
    return mpilab_comm_peers(op->comm);
}

static void both_sides(const struct op *op, struct blocks *sent, struct blocks *received) {
    *sent = *received = (struct blocks){.whole = 1};
    if (mpilab_sends(op) && op->kind != KIND_REPLACE) {
        if (mpilab_base(op->call) == BASE_REDUCE_SCATTER) {
            struct op all = *op; /* what is sent is what all together receive */
            all.recv.displs = NULL;
            all.recv.buf = op->send.buf;
            mpilab_part_blocks(&all, &all.recv, 1, sent);
        } else {
            mpilab_part_blocks(op, &op->send, repeats(op, 0), sent);
        }
    }
    if (mpilab_receives(op)) mpilab_part_blocks(op, &op->recv, repeats(op, 1), received);
}

/* Bytes from the first block to the end of the last; 0 when there are none. */
static size_t span(const struct blocks *b, char **low) {
    char *high = NULL;
    *low = NULL;
    for (size_t i = 0; i < b->count; i++) {
        if (!*low || b->list[i].base < *low) *low = b->list[i].base;
        if (b->list[i].base + b->list[i].bytes > high) high = b->list[i].base + b->list[i].bytes;
    }
    return (size_t)(high - *low);
}

void mpilab_guard_new(struct guard *g, struct op *op) {
    char *low;
    *g = (struct guard){.sent.whole = 1, .received.whole = 1};
    both_sides(op, &g->sent, &g->received);
    size_t length = span(&g->received, &low), total = 0;
    int in_place = op->kind == KIND_COLLECTIVE && op->send.buf == MPI_IN_PLACE;
    int may = op->makes && (op->kind == KIND_RECV || op->kind == KIND_MRECV || op->kind == KIND_COLLECTIVE);
    int fetches = (mpilab_is(op->call, "Get") || mpilab_is(op->call, "Rget")) && op->dest != MPI_PROC_NULL;
    if (!length || length > LARGEST_SHADOW || in_place || !(may || fetches)) return;
    for (size_t i = 0; i < g->received.count; i++) total += g->received.list[i].bytes;
    g->shadow = malloc(length);
    g->saved = malloc(total);
    op->recv.buf = g->shadow + ((char *)op->recv.buf - low);
}

/* Its bytes are the program's again; whoever shares a number in flight.c takes it out there itself. */
static void landed(const struct guard *g) {
    mpilab_unwatch(g);
    if (!g->shared) mpilab_flight_remove(g->flight);
}

/* The operation's own, so that it can be told where it turns up (watch.c). */
static uint32_t new_poison(int id) {
    static int rank = -1;
    if (rank < 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return POISON | ((((uint32_t)rank << 20) + (uint32_t)id) * 2654435761u) >> 16;
}

static void fill(char *into, size_t bytes, uint32_t poison) {
    for (; bytes >= 4; into += 4, bytes -= 4) memcpy(into, &poison, 4);
    memcpy(into, &poison, bytes);
}

static int filled(const struct block *b, uint32_t poison) {
    const char *at = b->base, *end = at + b->bytes;
    for (; end - at >= 4; at += 4)
        if (memcmp(at, &poison, 4)) return 0;
    return !memcmp(at, &poison, (size_t)(end - at));
}

void mpilab_guard_start(struct guard *g, int id, const void *site) {
    char *low, *saved = g->saved;
    g->flight = id;
    g->active = 1;
    g->checksum = sum(&g->sent);
    if (g->shadow) {
        g->poison = new_poison(id);
        fill(g->shadow, span(&g->received, &low), g->poison);
        for (size_t i = 0; i < g->received.count; i++) {
            struct block *b = &g->received.list[i];
            memcpy(saved, b->base, b->bytes);
            fill(b->base, b->bytes, g->poison);
            saved += b->bytes;
        }
        mpilab_watch_again(&g->received);
    }
    to_flight(&g->sent, 0, id, site);
    to_flight(&g->received, 1, id, site);
    mpilab_watch(g, site);
}

int mpilab_guard_said(int id) {
    for (unsigned i = 0; i < said_count && i < SAID; i++)
        if (said[i] == id) return 1;
    return 0;
}

void mpilab_guard_say(int id) { said[said_count++ % SAID] = id; }

static int disturbed;

/* Falsifies all messages from now on, so that one sees whether the result depends on what they bring. */
void mpilab_disturb(int on) { disturbed = on; }

/* Changes numbers by a quarter or more, of which `came` bytes were received: one bit of each double's fraction. */
static void disturb(const struct blocks *received, int64_t came) {
    uint64_t word;
    size_t left = came < 0 ? 0 : (size_t)came;
    for (size_t i = 0; i < received->count; i++) {
        const struct block *b = &received->list[i];
        size_t bytes = b->bytes < left ? b->bytes : left;
        left -= bytes;
        for (char *at = b->base; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
            memcpy(&word, at, sizeof word);
            word ^= (uint64_t)1 << 51;
            memcpy(at, &word, sizeof word);
        }
    }
}

void mpilab_guard_part(char *at, size_t bytes) {
    struct block block = {.base = at, .bytes = bytes};
    if (disturbed) disturb(&(struct blocks){.list = &block, .count = 1}, INT64_MAX);
}

void mpilab_guard_blocking(const struct op *op) {
    struct blocks sent, received;
    int64_t came = INT64_MAX;
    if (!disturbed) return;
    both_sides(op, &sent, &received);
    if (op->kind != KIND_COLLECTIVE && op->status && op->status != MPI_STATUS_IGNORE) {
        MPI_Count bytes = 0;
        PMPI_Get_count_c(op->status, MPI_BYTE, &bytes);
        came = bytes < 0 ? 0 : bytes;
    }
    disturb(&received, came);
    mpilab_blocks_free(&sent);
    mpilab_blocks_free(&received);
}

const char *mpilab_guard_end(struct guard *g, int64_t received_bytes) {
    const char *wrong = NULL;
    char *low, *saved = g->saved;
    size_t left = received_bytes < 0 ? 0 : (size_t)received_bytes;
    if (!g->active) return NULL;
    g->active = 0;
    landed(g);
    if (!mpilab_there(&g->sent))
        wrong = "the send buffer was freed";
    else if (sum(&g->sent) != g->checksum)
        wrong = "the send buffer was written";
    span(&g->received, &low);
    int there = mpilab_there(&g->received);
    if (!there) wrong = "the receive buffer was freed";
    for (size_t i = 0; there && g->shadow && i < g->received.count; i++) {
        struct block *b = &g->received.list[i];
        size_t came = b->bytes < left ? b->bytes : left;
        if (!filled(b, g->poison)) wrong = "the receive buffer was written";
        memcpy(b->base, g->shadow + (b->base - low), came);
        memcpy(b->base + came, saved + came, b->bytes - came);
        saved += b->bytes;
        left -= came;
    }
    if (disturbed && there) disturb(&g->received, received_bytes);
    if (g->shadow) mpilab_watch_again(&g->received);
    return mpilab_guard_said(g->flight) ? NULL : wrong;
}

void mpilab_guard_abandon(struct guard *g) {
    if (!g->active) return;
    landed(g);
    g->shadow = NULL; /* MPI may still write there */
    g->active = 0;
}

void mpilab_guard_free(struct guard *g) {
    if (g->active) landed(g);
    mpilab_blocks_free(&g->sent);
    mpilab_blocks_free(&g->received);
    free(g->shadow);
    free(g->saved);
    g->shadow = g->saved = NULL;
    g->active = 0;
}

/* ---- who touches what is in flight ------------------------------------------------------------------------------- */

void mpilab_guard_overlap(struct op *op, const struct blocks *b, int write) {
    for (size_t i = 0; i < b->count; i++) {
        struct flight_area area;
        if (!mpilab_flight_find(b->list[i].base, b->list[i].bytes, write, &area)) continue;
        if (area.write == FLIGHT_WINDOW) {
            mpilab_rma_local(b->list[i].base, b->list[i].bytes, write, NULL, mpilab_place(op->place));
            continue;
        }
        mpilab_finding("buffer-race", op->number, mpilab_place(area.site),
                       "%s %s a buffer that is still in flight: it was %s there, and not completed yet",
                       mpilab_plain_names[op->call], write ? "writes" : "reads",
                       area.write ? "given to a call that receives" : "given to a call that sends");
        mpilab_guard_say(area.op);
        return;
    }
}

void mpilab_guard_touched(struct op *op) {
    struct blocks sent, received;
    if (mpilab_flight_now.high <= mpilab_flight_now.low) return;
    both_sides(op, &sent, &received);
    mpilab_guard_overlap(op, &sent, 0);
    mpilab_guard_overlap(op, &received, 1);
    mpilab_blocks_free(&sent);
    mpilab_blocks_free(&received);
}

/* race.c has seen the program's own code touch a buffer in flight. */
int mpilab_race_found(const void *address, size_t bytes, enum flight_touch touch, const void *pc,
                      const struct flight_area *area) {
    static const char *const what[] = {"reads", "writes", "frees", "returns from the function that holds"};
    char at[4000], also[4000], much[40] = "";
    const struct standing *s = &mpilab_page->threads[mpilab_thread < 0 ? 0 : mpilab_thread];
    if (mpilab_page->mode != MODE_STRICT || s->in_call) return 0;
    if (area->write == FLIGHT_WINDOW) {
        if (touch <= TOUCH_WRITE) mpilab_rma_local(address, bytes, touch == TOUCH_WRITE, pc, NULL);
        return 0;
    }
    mpilab_guard_say(area->op);
    if (touch == TOUCH_READ || touch == TOUCH_WRITE) snprintf(much, sizeof much, "%zu bytes of ", bytes);
    mpilab_json(mpilab_place(pc), at, sizeof at);
    mpilab_json(mpilab_place(area->site), also, sizeof also);
    mpilab_log(
        "{\"k\":\"finding\",\"kind\":\"buffer-race\",\"n\":0,\"at\":\"%s\",\"also\":\"%s\",\"text\":\"the program %s "
        "%sa buffer that MPI is still %s\"}",
        at, also, what[touch], much, area->write ? "receiving into" : "sending from");
    return 1;
}
