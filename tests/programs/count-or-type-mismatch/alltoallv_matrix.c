/* expect: count-or-type-mismatch|truncation - what i sends to j isn't what j expects from i; ranks: 3; line: 18 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, out_n[3], in_n[3], at[3] = {0, 10, 20}, out[30], in[30];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 30; i++) {
        out[i] = rank;
        in[i] = -1;
    }
    for (int p = 0; p < size; p++) {
        out_n[p] = rank + 2;
        in_n[p] = rank + 2; /* should be p + 2 */
    }
    MPI_Alltoallv(out, out_n, at, MPI_INT, in, in_n, at, MPI_INT, MPI_COMM_WORLD);
    printf("rank %d: %d %d %d\n", rank, in[0], in[10], in[20]);
    MPI_Finalize();
    return 0;
}
