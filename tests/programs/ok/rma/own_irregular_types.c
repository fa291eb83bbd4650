/* expect: ok - an indexed type at the target, and stores between its blocks; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int lengths[3] = {2, 1, 3}, places[3] = {0, 7, 11}, x[6] = {1, 2, 3, 4, 5, 6};
    MPI_Datatype t;
    int *v;
    MPI_Type_indexed(3, lengths, places, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_Win_allocate(100 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    for (int i = 0; i < 100; i++) v[i] = 0;
    MPI_Win_fence(0, win);
    MPI_Put(x, 6, MPI_INT, 1 - rank, 20, 1, t, win);
    MPI_Type_free(&t);
    v[22] = v[28] = v[26] = 9;
    MPI_Win_fence(0, win);
    if (v[20] != 1 || v[27] != 3 || v[33] != 6 || v[26] != 9) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
