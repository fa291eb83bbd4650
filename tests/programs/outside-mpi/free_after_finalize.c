/* expect: outside-mpi|resource-leak - what a clean-up at exit frees comes too late; ranks: 2; line: 8|14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm comm;

static void clean_up(void) { MPI_Comm_free(&comm); }

int main(int argc, char **argv) {
    int rank;
    atexit(clean_up);
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    printf("rank %d\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
