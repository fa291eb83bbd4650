/* expect: buffer-race - the stencil runs over the edge cells, which read the halo, before Waitall; ranks: 3; line: 20 */
#include <mpi.h>
#include <stdio.h>
#define N 80

int main(int argc, char **argv) {
    double u[N + 2] = {0}, v[N + 2] = {0};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 1; i <= N; i++) u[i] = rank + i;
    for (int step = 0; step < 10; step++) {
        MPI_Request request[4];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&u[N + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&u[N], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[3]);
        for (int i = 1; i <= N; i++) v[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= N; i++) u[i] = v[i];
    }
    printf("rank %d: %g\n", rank, u[N]);
    MPI_Finalize();
    return 0;
}
