/* expect: ok - partitioned: each part is made ready when filled, and read when it has arrived; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#define PARTS 8
#define N 1000

int main(int argc, char **argv) {
    static double data[PARTS][N];
    double sum = 0;
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTS, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTS, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 3; step++) {
        MPI_Start(&request);
        for (int p = PARTS - 1; rank == 0 && p >= 0; p--) {
            for (int i = 0; i < N; i++) data[p][i] = step + p;
            MPI_Pready(p, request);
        }
        for (int p = 0; rank == 1 && p < PARTS; p++) {
            int there = 0;
            while (!there) MPI_Parrived(request, p, &there);
            sum += data[p][N - 1];
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    printf("rank %d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
