/* expect: ok - a pipeline with two buffers, each filled again only when its own send is complete; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#define N 5000
#define BLOCKS 20

int main(int argc, char **argv) {
    static double block[2][N];
    int rank, size;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double sum = 0;
    for (int b = 0; b < BLOCKS; b++) {
        double *now = block[b % 2];
        MPI_Wait(&request[b % 2], MPI_STATUS_IGNORE);
        if (rank == 0)
            for (int i = 0; i < N; i++) now[i] = b;
        else
            MPI_Recv(now, N, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) now[i] += 1;
        sum += now[0];
        if (rank < size - 1) MPI_Isend(now, N, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, &request[b % 2]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
