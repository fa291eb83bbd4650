/* expect: unmatched-message - a buffered message is detached and never received; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, bytes = 1000 + MPI_BSEND_OVERHEAD;
    double x = 1.25;
    void *buffer = malloc(bytes);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 1) MPI_Bsend(&x, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
