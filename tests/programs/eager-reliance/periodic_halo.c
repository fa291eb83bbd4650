/* expect: eager-reliance - halo exchange by Send and Recv is safe in an open line, and here the line is closed; ranks: 3; line: 7 */
#include <mpi.h>
#include <stdio.h>
#define N 64

static void exchange(double *u, int left, int right) {
    MPI_Send(&u[N], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD);
    MPI_Recv(&u[N + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    double u[N + 2], v[N + 2];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i <= N; i++) u[i] = rank * N + i;
    for (int step = 0; step < 20; step++) {
        exchange(u, (rank + size - 1) % size, (rank + 1) % size);
        for (int i = 1; i <= N; i++) v[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
        for (int i = 1; i <= N; i++) u[i] = v[i];
    }
    printf("rank %d: %.4f\n", rank, u[N]);
    MPI_Finalize();
    return 0;
}
