/* expect: ok - ninety windows at once, then ninety in turn; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win w[90];
    int *v[90], x = 3;
    for (int i = 0; i < 90; i++) MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &v[i], &w[i]);
    for (int i = 0; i < 90; i++) {
        MPI_Win_fence(0, w[i]);
        MPI_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, w[i]);
        MPI_Win_fence(0, w[i]);
        if (v[i][0] != 3) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < 90; i++) MPI_Win_free(&w[i]);
    for (int i = 0; i < 90; i++) {
        MPI_Win_create(&x, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
