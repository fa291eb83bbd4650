/* expect: ok - a function's own array is sent and completed; later calls use the same stack as they like; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

static double exchange(int rank, int step) {
    double out[256], in[256];
    MPI_Request request[2];
    for (int i = 0; i < 256; i++) out[i] = rank + step;
    MPI_Irecv(in, 256, MPI_DOUBLE, 1 - rank, step, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, 256, MPI_DOUBLE, 1 - rank, step, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    return in[255];
}

static double scratch(int n) {
    double work[600];
    double sum = 0;
    for (int i = 0; i < 600; i++) work[i] = n * i;
    for (int i = 0; i < 600; i++) sum += work[i];
    return sum;
}

int main(int argc, char **argv) {
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20; step++) sum += exchange(rank, step) + scratch(step) / 1e6;
    printf("rank %d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
