/* expect: ok - buffered sends on both sides, with the buffer attached, detached and freed; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000

int main(int argc, char **argv) {
    int rank, bytes, messages = 4;
    double out[N], in[N];
    void *buffer;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pack_size(N, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
    bytes = messages * (bytes + MPI_BSEND_OVERHEAD);
    buffer = malloc(bytes);
    MPI_Buffer_attach(buffer, bytes);
    for (int m = 0; m < messages; m++) {
        for (int i = 0; i < N; i++) /* the buffer is ours again at once */
            out[i] = 100 * rank + m;
        MPI_Bsend(out, N, MPI_DOUBLE, 1 - rank, m, MPI_COMM_WORLD);
    }
    for (int m = 0; m < messages; m++) MPI_Recv(in, N, MPI_DOUBLE, 1 - rank, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    printf("rank %d: %g\n", rank, in[0]);
    MPI_Finalize();
    return 0;
}
