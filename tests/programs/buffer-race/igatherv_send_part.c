/* expect: buffer-race - a rank updates the part that is being gathered; ranks: 3; line: 17 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 30

int main(int argc, char **argv) {
    int rank, size, counts[3] = {N, N, N}, starts[3] = {0, N, 2 * N};
    float part[N], *all = NULL;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) all = malloc(size * N * sizeof *all);
    for (int i = 0; i < N; i++) part[i] = rank;
    MPI_Igatherv(part, N, MPI_FLOAT, all, counts, starts, MPI_FLOAT, 0, MPI_COMM_WORLD, &request);
    if (rank == 2) part[N - 1] += 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) printf("%g\n", all[3 * N - 1]);
    free(all);
    MPI_Finalize();
    return 0;
}
