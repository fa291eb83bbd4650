/* expect: ok - origin buffers in the window itself, where nobody else accesses them; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *v;
    MPI_Win_allocate(10 * sizeof *v, sizeof *v, MPI_INFO_NULL, MPI_COMM_WORLD, &v, &win);
    for (int i = 0; i < 10; i++) v[i] = 10 * rank + i;
    MPI_Win_fence(0, win);
    MPI_Put(v, 5, MPI_INT, (rank + 1) % size, 5, 5, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Sendrecv_replace(v, 5, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Get(v, 5, MPI_INT, (rank + 1) % size, 5, 5, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (v[0] != 10 * rank) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
