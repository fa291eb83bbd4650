/* expect: ok - results come in any order and are put where their source belongs, in rounds parted by barriers; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 10

int main(int argc, char **argv) {
    int rank, size;
    double part[N];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *all = malloc(size * N * sizeof *all);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) part[i] = 100 * round + rank;
        if (rank != 0) {
            MPI_Send(part, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        } else {
            for (int k = 1; k < size; k++) {
                MPI_Recv(part, N, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
                for (int i = 0; i < N; i++) all[status.MPI_SOURCE * N + i] = part[i];
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%g %g\n", all[N], all[size * N - 1]);
    free(all);
    MPI_Finalize();
    return 0;
}
