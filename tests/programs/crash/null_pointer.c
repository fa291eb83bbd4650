/* expect: crash - the array exists on rank 0 only, rank 1 writes to it; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, *table = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) table = calloc(100, sizeof *table);
    for (int i = 0; i < 100; i++) table[i] = rank * i;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, table[99]);
    free(table);
    MPI_Finalize();
    return 0;
}
