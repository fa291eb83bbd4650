/* expect: deadlock - the last partition is never made ready; ranks: 2; line: 23 */
#include <mpi.h>
#include <stdio.h>
#define PARTS 4

int main(int argc, char **argv) {
    float data[PARTS][50] = {{0}};
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, PARTS, 50, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int p = 0; p < PARTS - 1; p++) {
            data[p][0] = p;
            MPI_Pready(p, request);
        }
    } else {
        MPI_Precv_init(data, PARTS, 50, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    printf("rank %d: %g\n", rank, data[2][0]);
    MPI_Finalize();
    return 0;
}
