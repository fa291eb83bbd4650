/* The ring of a rank, as it stands in its file, and the parts of record mode. */
#ifndef MPILAB_RING_H
#define MPILAB_RING_H

#include "wrap.h"

#define HEADER 4096
struct event {
    uint64_t start, end, request, bytes, place;
    int32_t call, peer, tag, comm;
    uint32_t thread, region;
};
_Static_assert(sizeof(struct event) == 64, "an event is one cache line");

struct ring_header {
    char magic[8];
    uint32_t version, event_bytes, rank, ranks;
    uint64_t capacity, written;
    double ticks_per_s;
    uint64_t tick0;
    int64_t ns0;
    uint64_t tick1;
    int64_t ns1;
    double offset_s, offset_error_s, clock_error_s;
    uint32_t groups, finished;
    char host[64];
    char clock[16];
};
_Static_assert(sizeof(struct ring_header) <= HEADER, "the header has its own page");

/* clock.c */
void mpilab_clock_begin(struct ring_header *header, MPI_Comm ranks);             /* collective over `ranks` */
void mpilab_clock_end(struct ring_header *header, MPI_Comm ranks, int together); /* collective when `together` */

/* sidefile.c: what is named by numbers in the ring, one JSON object a line */
void mpilab_side_open(const char *folder, int rank);
void mpilab_side_region(int number, const char *name);
void mpilab_side_forget(void); /* in a forked child */
void mpilab_side_close(void);

#endif
