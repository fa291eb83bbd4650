/* expect: ok - a Cartesian grid with one open and one periodic side, shifts and neighbour collectives; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int size, me, dims[2] = {0, 0}, periodic[2] = {0, 1}, up, down, in = -1, all[4] = {-1, -1, -1, -1};
    int out[4], got[4] = {-1, -1, -1, -1};
    MPI_Comm grid, line;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 1, &grid);
    MPI_Comm_rank(grid, &me);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Sendrecv(&me, 1, MPI_INT, down, 0, &in, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, grid);
    for (int i = 0; i < 4; i++) out[i] = 10 * me + i;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, got, 1, MPI_INT, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Cart_sub(grid, (int[]){0, 1}, &line);
    MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_INT, MPI_MAX, line);
    MPI_Comm_free(&line);
    MPI_Comm_free(&grid);
    printf("%d: %d, neighbours %d %d %d %d, last %d\n", me, in, all[0], all[1], all[2], all[3], got[3]);
    MPI_Finalize();
    return 0;
}
