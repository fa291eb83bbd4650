/* expect: invalid-argument - a copy of the handle is used after the type is freed; ranks: 2; line: 21 */
#include <mpi.h>
#include <stdio.h>

static MPI_Datatype copy;

static void make(void) {
    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    copy = type;
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    float x[3] = {1, 2, 3};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make();
    MPI_Bcast(x, 1, copy, 0, MPI_COMM_WORLD);
    printf("rank %d: %g\n", rank, x[2]);
    MPI_Finalize();
    return 0;
}
