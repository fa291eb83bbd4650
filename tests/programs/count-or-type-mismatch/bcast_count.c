/* expect: count-or-type-mismatch - the root broadcasts 10 elements, the others expect 8; ranks: 3; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, v[10] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int n = rank == 0 ? 10 : 8;
    for (int i = 0; rank == 0 && i < n; i++) v[i] = i;
    MPI_Bcast(v, n, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, v[7]);
    MPI_Finalize();
    return 0;
}
