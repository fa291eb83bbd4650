/* expect: invalid-argument - a grid of 2 x 3 for four ranks; ranks: 4; line: 9 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, dims[2] = {2, 3}, periods[2] = {0, 0};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    printf("rank %d\n", rank);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
