/* expect: truncation - the second of two nonblocking receives is too short; ranks: 2; line: 12|17 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, a[8] = {0}, b[8] = {0};
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Irecv(a, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(b, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[1]);
    } else {
        MPI_Isend(a, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(b, 8, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, a[7], b[3]);
    MPI_Finalize();
    return 0;
}
