/* expect: ok - the ranks at the two ends exchange with MPI_PROC_NULL, which leaves their halo as it was; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#define N 100

int main(int argc, char **argv) {
    double u[N + 2], new[N + 2], sum = 0, total;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < N + 2; i++) u[i] = rank == 0 ? 1.0 : 0.0;
    for (int step = 0; step < 50; step++) {
        MPI_Request request[4];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&u[N + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&u[N], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[3]);
        for (int i = 2; i < N; i++) new[i] = 0.5 * (u[i - 1] + u[i + 1]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        new[1] = 0.5 * (u[0] + u[2]);
        new[N] = 0.5 * (u[N - 1] + u[N + 1]);
        for (int i = 1; i <= N; i++) u[i] = new[i];
    }
    for (int i = 1; i <= N; i++) sum += u[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %.6f\n", total);
    MPI_Finalize();
    return 0;
}
