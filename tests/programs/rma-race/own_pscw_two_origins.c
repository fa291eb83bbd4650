/* expect: rma-race - two origins put to one place in one exposure epoch; ranks: 3; line: 22 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int v[4] = {0}, x = 3;
    MPI_Group world, all, target;
    int zero = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &target);
    MPI_Group_excl(world, 1, &zero, &all);
    MPI_Win_create(v, sizeof v, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0) {
        MPI_Win_post(all, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(target, 0, win);
        MPI_Put(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&all);
    MPI_Group_free(&target);
    MPI_Finalize();
    return 0;
}
