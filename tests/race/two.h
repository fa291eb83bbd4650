/* What every program here has: two ranks, each other's peers.  A line that must be named says so: RACE and the touch. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 100
#define W MPI_COMM_WORLD
#define DONE MPI_STATUS_IGNORE

static int rank, peer;

static inline void begin(void) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(W, &rank);
    peer = 1 - rank;
}
