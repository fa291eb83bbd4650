/* expect: missing-finalize - the usage message is followed by return, on all ranks; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2) {
        if (rank == 0) fprintf(stderr, "usage: %s N\n", argv[0]);
        return 1;
    }
    n = atoi(argv[1]);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, n);
    MPI_Finalize();
    return 0;
}
