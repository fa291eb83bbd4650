/* expect: invalid-argument - step * 1,000,000,000 is no tag: MPI_TAG_UB is smaller; ranks: 2; line: 12|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 2; step++) {
        int tag = step * 1000000000;
        if (rank == 0)
            MPI_Send(&step, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d\n", rank, x);
    MPI_Finalize();
    return 0;
}
