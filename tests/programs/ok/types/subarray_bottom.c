/* expect: ok - a subarray in a halo exchange, and a type of absolute addresses with MPI_BOTTOM; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static float grid[10][12];
    int rank, sizes[2] = {10, 12}, part[2] = {8, 1}, out_at[2] = {1, 1}, in_at[2] = {1, 0};
    MPI_Datatype out, in, scattered;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_subarray(2, sizes, part, out_at, MPI_ORDER_C, MPI_FLOAT, &out);
    MPI_Type_create_subarray(2, sizes, part, in_at, MPI_ORDER_C, MPI_FLOAT, &in);
    MPI_Type_commit(&out);
    MPI_Type_commit(&in);
    for (int i = 1; i < 9; i++) grid[i][1] = 10 * rank + i;
    MPI_Sendrecv(grid, 1, out, 1 - rank, 0, grid, 1, in, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int step = rank == 0 ? 7 : 0, lengths[2] = {1, 1};
    double dt = rank == 0 ? 0.5 : 0;
    MPI_Aint at[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Get_address(&step, &at[0]);
    MPI_Get_address(&dt, &at[1]);
    MPI_Type_create_struct(2, lengths, at, types, &scattered);
    MPI_Type_commit(&scattered);
    MPI_Bcast(MPI_BOTTOM, 1, scattered, 0, MPI_COMM_WORLD);
    MPI_Type_free(&scattered);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
    printf("rank %d: %g %d %g\n", rank, grid[8][0], step, dt);
    MPI_Finalize();
    return 0;
}
