/* expect: ok - a ring of post and start; the owner works on other places meanwhile; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int v[3] = {0}, x;
    MPI_Group world, from, to;
    int l = (rank + size - 1) % size, r = (rank + 1) % size;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &l, &from);
    MPI_Group_incl(world, 1, &r, &to);
    MPI_Win_create(v, sizeof v, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 20; i++) {
        v[0] = -i;
        MPI_Win_post(from, MPI_MODE_NOSTORE, win);
        x = i;
        MPI_Win_start(to, 0, win);
        MPI_Put(&x, 1, MPI_INT, r, 0, 1, MPI_INT, win);
        v[1] = i;
        MPI_Win_complete(win);
        v[2]++;
        MPI_Win_wait(win);
        if (v[0] != i) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Finalize();
    return 0;
}
