/* expect: ok - workers put and get in the master's exposure epochs; it works between them; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int v[8] = {0}, x = rank;
    MPI_Group world, others, master;
    int zero = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &master);
    MPI_Group_excl(world, 1, &zero, &others);
    MPI_Win_create(v, sizeof v, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int step = 0; step < 5; step++) {
        if (rank == 0) {
            v[0] = step;
            for (int i = 1; i < size; i++) v[i] = -1;
            MPI_Win_post(others, 0, win);
            if (step % 2) {
                int flag = 0;
                while (!flag) MPI_Win_test(win, &flag);
            } else
                MPI_Win_wait(win);
            for (int i = 1; i < size; i++)
                if (v[i] != i) MPI_Abort(MPI_COMM_WORLD, 1);
        } else {
            int first;
            MPI_Win_start(master, 0, win);
            MPI_Put(&x, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
            MPI_Get(&first, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
            MPI_Win_complete(win);
            if (first != step) MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&others);
    MPI_Group_free(&master);
    MPI_Finalize();
    return 0;
}
