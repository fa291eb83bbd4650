/* expect: ok - Scan, Exscan (nothing is defined at rank 0), Reduce_scatter with ragged parts; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, counts[3] = {1, 2, 3}, mine, sum, before = 0, all[6], part[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = rank + 1;
    MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) before = 0;
    for (int i = 0; i < 6; i++) all[i] = rank * i;
    MPI_Reduce_scatter(all, part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    struct {
        double value;
        int index;
    } place = {1.0 / (rank + 1), rank}, least;
    MPI_Allreduce(&place, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    printf("rank %d of %d: %d %d %d, least on %d\n", rank, size, sum, before, part[0], least.index);
    MPI_Finalize();
    return 0;
}
