/* expect: call-mismatch - rank 0 broadcasts while the others reduce; ranks: 3; line: 11|13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, x, y = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = rank + 1;
    if (rank == 0)
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, x, y);
    MPI_Finalize();
    return 0;
}
