/* expect: ok - Request_get_status looks without completing, then Wait completes; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, flag = 0, count, data[32];
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 32; i++) data[i] = i;
        MPI_Send(data, 20, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(data, 32, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        while (!flag) MPI_Request_get_status(request, &flag, &status);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%d elements of tag %d, last %d\n", count, status.MPI_TAG, data[count - 1]);
    }
    MPI_Finalize();
    return 0;
}
