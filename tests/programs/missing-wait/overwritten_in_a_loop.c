/* expect: missing-wait|request-lifecycle - each turn of the loop overwrites the request of the one before; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>
#define STEPS 5

int main(int argc, char **argv) {
    int rank, value[STEPS];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < STEPS; i++) {
        if (rank == 0) {
            value[i] = i;
            MPI_Isend(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request);
        } else {
            MPI_Recv(&value[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, value[STEPS - 1]);
    MPI_Finalize();
    return 0;
}
