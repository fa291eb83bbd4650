/* expect: buffer-race - sent from and received into the same buffer at once; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, value[4];
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) value[i] = rank;
    MPI_Isend(value, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(value, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d\n", rank, value[0]);
    MPI_Finalize();
    return 0;
}
