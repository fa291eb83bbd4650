/* expect: ok - each rank puts other columns of one matrix; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double (*m)[8], col[20];
    MPI_Datatype column;
    MPI_Win_allocate(20 * sizeof *m, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &m, &win);
    MPI_Type_vector(20, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 20; i++) col[i] = rank;
    MPI_Win_fence(0, win);
    MPI_Put(col, 20, MPI_DOUBLE, 0, rank, 1, column, win);
    MPI_Put(col, 20, MPI_DOUBLE, 0, 3 + rank, 1, column, win);
    if (rank == 0)
        for (int i = 0; i < 20; i++) m[i][7] = 5;
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
