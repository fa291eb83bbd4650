/* expect: ok - memory from MPI_Alloc_mem and from realloc, used by messages before and after it moved; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 16;
    double *window, *grown = NULL, last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Alloc_mem(16 * sizeof *window, MPI_INFO_NULL, &window);
    for (int i = 0; i < 16; i++) window[i] = rank + i;
    for (int round = 0; round < 12; round++, n *= 2) {
        grown = realloc(grown, n * sizeof *grown);
        for (int i = n / 2; i < n; i++) grown[i] = i;
        grown[0] = window[round];
        MPI_Request request;
        MPI_Irecv(window, 16, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &request);
        MPI_Send(grown, 16, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        last = window[0];
    }
    free(grown);
    MPI_Free_mem(window);
    printf("rank %d: %g\n", rank, last);
    MPI_Finalize();
    return 0;
}
