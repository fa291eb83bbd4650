/* expect: ok - some ranks get MPI_COMM_NULL from a split and stay out; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, sum = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : MPI_UNDEFINED, -rank, &half);
    if (half != MPI_COMM_NULL) {
        int inner;
        MPI_Comm_rank(half, &inner);
        MPI_Allreduce(&inner, &sum, 1, MPI_INT, MPI_SUM, half);
        MPI_Bcast(&sum, 1, MPI_INT, 1, half);
        MPI_Comm_free(&half);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
