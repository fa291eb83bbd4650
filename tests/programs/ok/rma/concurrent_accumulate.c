/* expect: ok - many accumulates with one operator on the same places are no race; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, bins = 8;
    long histogram[8] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(histogram, sizeof histogram, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    const long one = 1;
    for (int i = 0; i < 200; i++)
        MPI_Accumulate(&one, 1, MPI_LONG, 0, (i * (rank + 3)) % bins, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    long total = 0;
    for (int i = 0; i < bins; i++) total += histogram[i];
    if (rank == 0) printf("%ld entries from %d ranks\n", total, size);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
