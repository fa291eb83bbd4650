/* expect: ok - a transpose by Alltoallw with a type for each peer; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#define B 4

int main(int argc, char **argv) {
    double rows[B][3 * B], columns[3 * B][B];
    int rank, size, one[3] = {1, 1, 1}, out_at[3], in_at[3];
    MPI_Datatype block, out[3], in[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(B, B, 3 * B, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    MPI_Datatype solid;
    MPI_Type_contiguous(B * B, MPI_DOUBLE, &solid);
    MPI_Type_commit(&solid);
    for (int i = 0; i < B; i++)
        for (int j = 0; j < 3 * B; j++) rows[i][j] = 100 * rank + j;
    for (int p = 0; p < size; p++) {
        out[p] = block;
        in[p] = solid;
        out_at[p] = p * B * (int)sizeof(double);
        in_at[p] = p * B * B * (int)sizeof(double);
    }
    MPI_Alltoallw(rows, one, out_at, out, columns, one, in_at, in, MPI_COMM_WORLD);
    MPI_Type_free(&block);
    MPI_Type_free(&solid);
    printf("rank %d: %g %g\n", rank, columns[0][0], columns[3 * B - 1][B - 1]);
    MPI_Finalize();
    return 0;
}
