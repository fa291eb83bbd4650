/* expect: ok - heat in one dimension by Sendrecv, arguments from the command line, pointers swapped; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[]) {
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 400, steps = argc > 2 ? atoi(argv[2]) : 200;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (n % size != 0) {
        if (rank == 0) fprintf(stderr, "%d isn't a multiple of %d\n", n, size);
        MPI_Finalize();
        return 1;
    }
    int local = n / size, left = rank == 0 ? MPI_PROC_NULL : rank - 1,
        right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    double *u = calloc(local + 2, sizeof *u), *next = calloc(local + 2, sizeof *next), change = 0, most = 0;
    if (rank == 0) u[0] = next[0] = 100;
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(&u[local], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 2, &u[local + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        change = 0;
        for (int i = 1; i <= local; i++) {
            next[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
            change += (next[i] - u[i]) * (next[i] - u[i]);
        }
        double *swap = u;
        u = next;
        next = swap;
        if (rank == 0) u[0] = 100;
        MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%g after %d steps\n", most, steps);
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
