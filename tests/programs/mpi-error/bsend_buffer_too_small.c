/* expect: mpi-error|invalid-argument - the attached buffer was reckoned in elements, not in bytes; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000

int main(int argc, char **argv) {
    int rank, bytes = N + MPI_BSEND_OVERHEAD;
    double data[N] = {0};
    void *buffer = malloc(bytes);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend(data, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(data, N, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
