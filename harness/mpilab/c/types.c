/* What a datatype is made of: its signature, and the bytes it covers.
 *
 * Theory of operation.  Two calls match when the sequences of basic types are the same, however they are put together (MPI
 * standard, type signature).  A sequence is known by a polynomial hash modulo 2^61 - 1: the hash of two sequences one after the
 * other follows from theirs, so a count of a billion costs thirty multiplications.  Types are taken apart by their envelopes.
 * Signatures are remembered by handle until a type is freed. */
#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULUS ((1ull << 61) - 1)
#define FACTOR 1000003ull
#define REMEMBERED 1024
#define MOST_BLOCKS 200000

static struct {
    MPI_Datatype type;
    int used;
    struct signature of_one;
} remembered[REMEMBERED];

static uint64_t times(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b % MODULUS); }

static uint64_t power(uint64_t base, int64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = times(base, base))
        if (exponent & 1) result = times(result, base);
    return result;
}

static struct signature joined(struct signature a, struct signature b) {
    if (!a.elements) return b;
    if (!b.elements) return a;
    a.hash = (times(a.hash, power(FACTOR, b.elements)) + b.hash) % MODULUS;
    a.elements += b.elements;
    a.bytes += b.bytes;
    if (strcmp(a.basic, b.basic)) strcpy(a.basic, "-");
    return a;
}

static struct signature repeated(struct signature one, int64_t count) {
    struct signature all = {.basic = "-"};
    for (; count > 0; count >>= 1, one = joined(one, one))
        if (count & 1) all = joined(one, all);
    return all;
}

static struct signature basic(MPI_Datatype type) {
    struct signature s = {.elements = 1};
    char name[MPI_MAX_OBJECT_NAME] = "?";
    MPI_Count size = 0;
    int length;
    PMPI_Type_get_name(type, name, &length);
    PMPI_Type_size_c(type, &size);
    s.bytes = size;
    snprintf(s.basic, sizeof s.basic, "%.31s", name);
    for (const char *c = name; *c; c++) s.hash = (times(s.hash, 257) + (unsigned char)*c) % MODULUS;
    return s;
}

static struct signature of_one(MPI_Datatype type);

/* Sum of signatures: blocks[i] elements of types[i], or of the only type. */
static struct signature series(MPI_Count count, const MPI_Count *lengths, const MPI_Datatype *types, int several) {
    struct signature all = {.basic = "-"};
    struct signature only = several ? all : of_one(types[0]);
    for (MPI_Count i = 0; i < count; i++) all = joined(all, repeated(several ? of_one(types[i]) : only, lengths[i]));
    return all;
}

static struct signature taken_apart(int combiner, MPI_Count *v, const int *plain, const MPI_Datatype *types, int large,
                                    MPI_Datatype type) {
    MPI_Count size = 0, child_size = 0, product = 1;
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        return of_one(types[0]);
    case MPI_COMBINER_CONTIGUOUS:
        return repeated(of_one(types[0]), v[0]);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return repeated(of_one(types[0]), v[0] * v[1]);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
        return series(v[0], v + 1, types, 0);
    case MPI_COMBINER_STRUCT:
        return series(v[0], v + 1, types, 1);
    case MPI_COMBINER_SUBARRAY:
        for (int i = 0; i < plain[0]; i++) product *= large ? v[plain[0] + i] : v[1 + plain[0] + i];
        return repeated(of_one(types[0]), product);
    default: /* a distributed array: so many elements of its child */
        PMPI_Type_size_c(type, &size);
        PMPI_Type_size_c(types[0], &child_size);
        return repeated(of_one(types[0]), child_size ? size / child_size : 0);
    }
}

static struct signature compute(MPI_Datatype type) {
    MPI_Count ints, addresses, counts, types;
    int combiner;
    if (PMPI_Type_get_envelope_c(type, &ints, &addresses, &counts, &types, &combiner))
        return (struct signature){.basic = "-"};
    if (combiner == MPI_COMBINER_NAMED || !types) return basic(type);
    int *plain = calloc((size_t)ints + 1, sizeof *plain);
    MPI_Aint *places = calloc((size_t)addresses + 1, sizeof *places);
    MPI_Count *large = calloc((size_t)(counts + ints) + 1, sizeof *large);
    MPI_Datatype *children = calloc((size_t)types + 1, sizeof *children);
    PMPI_Type_get_contents_c(type, ints, addresses, counts, types, plain, places, large, children);
    if (!counts)
        for (MPI_Count i = 0; i < ints; i++) large[i] = plain[i];
    struct signature s = taken_apart(combiner, large, plain, children, counts > 0, type);
    for (MPI_Count i = 0; i < types; i++) {
        MPI_Count a, b, c, d;
        PMPI_Type_get_envelope_c(children[i], &a, &b, &c, &d, &combiner);
        if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&children[i]);
    }
    free(plain), free(places), free(large), free(children);
    return s;
}

static struct signature of_one(MPI_Datatype type) {
    size_t k = ((uintptr_t)type * 2654435761u >> 4) % REMEMBERED;
    mpilab_lock();
    if (!remembered[k].used || remembered[k].type != type) {
        struct signature s = compute(type); /* may remember others */
        remembered[k].of_one = s;
        remembered[k].type = type;
        remembered[k].used = 1;
    }
    struct signature found = remembered[k].of_one;
    mpilab_unlock();
    return found;
}

void mpilab_types_changed(void) { memset(remembered, 0, sizeof remembered); }

/* Whether `type` may be asked about: an invalid handle must not reach the MPI library's error handler from here. */
static int valid(MPI_Datatype type) {
    MPI_Count size;
    MPI_Errhandler before;
    if (type == MPI_DATATYPE_NULL) return 0;
    PMPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int result = PMPI_Type_size_c(type, &size);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, before);
    PMPI_Errhandler_free(&before);
    return result == MPI_SUCCESS;
}

struct signature mpilab_signature(int64_t count, MPI_Datatype type) {
    if (count <= 0 || !valid(type)) return (struct signature){.basic = "-"};
    return repeated(of_one(type), count);
}

const char *mpilab_signature_text(struct signature s, char *into, size_t size) {
    snprintf(into, size, "%llx/%lld/%s/%lld", (unsigned long long)s.hash, (long long)s.elements, s.basic,
             (long long)s.bytes);
    return into;
}

const char *mpilab_type_name(MPI_Datatype type) {
    static __thread char name[MPI_MAX_OBJECT_NAME];
    int length;
    name[0] = 0;
    if (valid(type)) PMPI_Type_get_name(type, name, &length);
    return name[0] ? name : type == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "a derived type";
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

int mpilab_contiguous(MPI_Datatype type) {
    MPI_Count size, lower, extent, true_lower, true_extent;
    if (!valid(type)) return 0;
    PMPI_Type_size_c(type, &size);
    PMPI_Type_get_extent_c(type, &lower, &extent);
    PMPI_Type_get_true_extent_c(type, &true_lower, &true_extent);
    return true_lower == 0 && true_extent == size && extent == size;
}

static void add(struct blocks *b, char *base, size_t bytes) {
    if (!bytes || !b->whole) return;
    struct block *last = b->count ? &b->list[b->count - 1] : NULL;
    if (last && last->base + last->bytes == base) {
        last->bytes += bytes;
        return;
    }
    if (b->count == MOST_BLOCKS) {
        b->count = 0;
        b->whole = 0;
        return;
    }
    if (b->count == b->room) b->list = realloc(b->list, sizeof *b->list * (b->room = 2 * b->room + 4));
    b->list[b->count++] = (struct block){base, bytes};
}

void mpilab_blocks_add(struct blocks *b, const void *buf, int64_t count, MPI_Datatype type) {
    if (count <= 0 || !buf || !valid(type)) return;
    MPI_Count size, lower, extent, pieces = 0, actual;
    PMPI_Type_size_c(type, &size);
    if (mpilab_contiguous(type)) {
        add(b, (char *)buf, (size_t)(size * count));
        return;
    }
#ifdef MPICH_NUMVERSION
    PMPI_Type_get_extent_c(type, &lower, &extent);
    if (PMPIX_Type_iov_len(type, size, &pieces, &actual) || pieces * count > MOST_BLOCKS) pieces = MOST_BLOCKS + 1;
    if (pieces <= MOST_BLOCKS) {
        MPIX_Iov *iov = malloc(sizeof *iov * (size_t)(pieces + 1));
        PMPIX_Type_iov(type, 0, iov, pieces, &actual);
        for (int64_t i = 0; i < count; i++)
            for (MPI_Count k = 0; k < actual; k++)
                add(b, (char *)buf + i * extent + (intptr_t)iov[k].iov_base, iov[k].iov_len);
        free(iov);
        return;
    }
#endif
    b->count = 0;
    b->whole = 0;
}

void mpilab_blocks_free(struct blocks *b) {
    free(b->list);
    *b = (struct blocks){.whole = 1};
}
