/* expect: ok - a pool of receives served by Waitany, each posted again until its sender is through; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define ROUNDS 10

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        for (int i = 0; i < ROUNDS; i++) {
            int value = rank * 100 + i;
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    } else {
        int n = size - 1, which, sum = 0;
        int *value = malloc(n * sizeof *value), *got = calloc(n, sizeof *got);
        MPI_Request *pool = malloc(n * sizeof *pool);
        for (int i = 0; i < n; i++) MPI_Irecv(&value[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &pool[i]);
        for (;;) {
            MPI_Waitany(n, pool, &which, MPI_STATUS_IGNORE);
            if (which == MPI_UNDEFINED) break;
            sum += value[which];
            if (++got[which] < ROUNDS) MPI_Irecv(&value[which], 1, MPI_INT, which + 1, 0, MPI_COMM_WORLD, &pool[which]);
        }
        printf("sum %d\n", sum);
        free(value);
        free(got);
        free(pool);
    }
    MPI_Finalize();
    return 0;
}
