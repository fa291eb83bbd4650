/* expect: ok - MPI_IN_PLACE in every collective that takes it; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, ones[3] = {1, 1, 1}, starts[3] = {0, 1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm world = MPI_COMM_WORLD;
    int *v = malloc(size * sizeof *v);
    for (int i = 0; i < size; i++) v[i] = rank + i;
    MPI_Allreduce(MPI_IN_PLACE, v, size, MPI_INT, MPI_SUM, world);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : v, rank == 0 ? v : NULL, size, MPI_INT, MPI_MAX, 0, world);
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, 0, world);
    else
        MPI_Gather(v, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, world);
    if (rank == 0)
        MPI_Scatter(v, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, world);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, 0, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, world);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, ones, starts, MPI_INT, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, world);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, v, ones, starts, MPI_INT, world);
    MPI_Scan(MPI_IN_PLACE, v, size, MPI_INT, MPI_SUM, world);
    MPI_Exscan(MPI_IN_PLACE, v, size, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, world);
    printf("rank %d: %d\n", rank, v[0]);
    free(v);
    MPI_Finalize();
    return 0;
}
