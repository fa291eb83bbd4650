/* expect: buffer-race - a partition is written after it was made ready; ranks: 2; line: 18 */
#include <mpi.h>
#include <stdio.h>
#define PARTS 4
#define N 100

int main(int argc, char **argv) {
    static int data[PARTS][N];
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, PARTS, N, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int p = 0; p < PARTS; p++) {
            MPI_Pready(p, request);
            data[p][0] = p;
        }
    } else {
        MPI_Precv_init(data, PARTS, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("rank %d: %d\n", rank, data[PARTS - 1][0]);
    MPI_Finalize();
    return 0;
}
