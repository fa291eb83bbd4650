/* expect: resource-leak - the grid's communicator stays; ranks: 4; line: 9 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, at[2], dims[2] = {2, 2}, periods[2] = {1, 1};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);
    printf("rank %d at %d %d\n", rank, at[0], at[1]);
    MPI_Finalize();
    return 0;
}
