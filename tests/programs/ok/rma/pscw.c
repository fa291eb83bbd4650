/* expect: ok - post, start, complete, wait between neighbours; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    double out[10], in[10] = {0};
    MPI_Win win;
    MPI_Group world, from, to;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &from);
    MPI_Group_incl(world, 1, &right, &to);
    MPI_Win_create(in, sizeof in, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 10; i++) out[i] = rank + i;
    for (int step = 0; step < 3; step++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(out, 10, MPI_DOUBLE, right, 0, 10, MPI_DOUBLE, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        out[0] += in[0];
    }
    MPI_Win_free(&win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&world);
    printf("rank %d: %g %g\n", rank, in[9], out[0]);
    MPI_Finalize();
    return 0;
}
