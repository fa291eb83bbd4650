/* The shape of an implicit solver that sweeps along one axis after the other: each rank sends a face of its block to the
 * next one, asks for the face of the one before, computes, and waits, first for its send, then for its receive.  The
 * computation is slept, a little unevenly, so that many ranks get along on few cores.
 *
 *     adi [iterations [bytes of a face [milliseconds of computing]]] */
#include <mpi.h>
#include <mpilab.h>
#include <stdlib.h>
#include <time.h>

enum { AXES = 3 };
static const char *const names[AXES] = {"x", "y", "z"};

static void compute(double ms) {
    struct timespec t = {.tv_sec = (time_t)(ms / 1e3), .tv_nsec = (long)(ms * 1e6) % 1000000000};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv) {
    int iterations = argc > 1 ? atoi(argv[1]) : 20, bytes = argc > 2 ? atoi(argv[2]) : 40000, rank, size, side = 1;
    double ms = argc > 3 ? atof(argv[3]) : 6;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (side * side < size) side++;
    if (side * side != size) MPI_Abort(MPI_COMM_WORLD, 2); /* the ranks are a square */
    char *mine = calloc(1, (size_t)bytes), *theirs = calloc(1, (size_t)bytes);
    unsigned seed = (unsigned)rank;
    for (int i = 0; i < iterations; i++) {
        for (int axis = 0; axis < AXES; axis++) {
            int down = axis != 0, across = axis != 1, x = rank % side, y = rank / side;
            int next = (y + down) % side * side + (x + across) % side;
            int before = (y + side - down) % side * side + (x + side - across) % side;
            MPI_Request sent, came;
            mpilab_region_begin(names[axis]);
            MPI_Isend(mine, bytes, MPI_BYTE, next, axis, MPI_COMM_WORLD, &sent);
            MPI_Irecv(theirs, bytes, MPI_BYTE, before, axis, MPI_COMM_WORLD, &came);
            compute(ms * (0.6 + 0.8 * rand_r(&seed) / RAND_MAX));
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
            MPI_Wait(&came, MPI_STATUS_IGNORE);
            mpilab_region_end();
        }
    }
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
