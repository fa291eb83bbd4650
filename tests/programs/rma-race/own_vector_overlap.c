/* expect: rma-race - a column and a row of one matrix meet in one element; ranks: 3; line: 17|18 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double col[10] = {0};
    double (*m)[8];
    MPI_Datatype column;
    MPI_Win_allocate(10 * sizeof *m, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &win);
    MPI_Type_vector(10, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(col, 10, MPI_DOUBLE, 0, 3, 1, column, win);
    if (rank == 2) MPI_Put(col, 8, MPI_DOUBLE, 0, 32, 8, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
