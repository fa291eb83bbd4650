/* expect: ok - 100,000 small messages, more than any table or log should choke on; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, window[100];
    long sum = 0;
    MPI_Request request[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int burst = 0; burst < 500; burst++) {
        for (int i = 0; i < 100; i++) {
            if (rank == 0) {
                window[i] = burst + i;
                MPI_Isend(&window[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[i]);
            } else {
                MPI_Irecv(&window[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[i]);
            }
        }
        MPI_Waitall(100, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 100; i++) sum += window[i];
    }
    for (int i = 0; i < 25000; i++) {
        int ball = i;
        if (rank == 0) {
            MPI_Send(&ball, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&ball, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&ball, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&ball, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
        sum += ball;
    }
    printf("rank %d: %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
