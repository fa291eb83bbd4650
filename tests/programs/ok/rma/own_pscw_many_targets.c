/* expect: ok - one origin, many targets in one access epoch; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int v[4] = {0}, x = rank, zero = 0;
    MPI_Group world, boss, rest;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &boss);
    MPI_Group_excl(world, 1, &zero, &rest);
    MPI_Win_create(v, sizeof v, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 5; i++) {
        if (rank == 0) {
            MPI_Win_start(rest, 0, win);
            for (int t = 1; t < size; t++) {
                MPI_Put(&x, 1, MPI_INT, t, 0, 1, MPI_INT, win);
                MPI_Get(&v[t], 1, MPI_INT, t, 1, 1, MPI_INT, win);
            }
            MPI_Win_complete(win);
        } else {
            v[1] = i;
            MPI_Win_post(boss, 0, win);
            MPI_Win_wait(win);
            v[0]++;
        }
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&boss);
    MPI_Group_free(&rest);
    MPI_Finalize();
    return 0;
}
