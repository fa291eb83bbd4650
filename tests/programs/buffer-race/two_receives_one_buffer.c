/* expect: buffer-race - both neighbours' messages are received into the same buffer; ranks: 3; line: 15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    float edge[16], halo[16];
    MPI_Request request[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < 16; i++) edge[i] = rank;
    MPI_Irecv(halo, 16, MPI_FLOAT, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(halo, 16, MPI_FLOAT, right, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(edge, 16, MPI_FLOAT, right, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(edge, 16, MPI_FLOAT, left, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %g\n", rank, halo[0]);
    MPI_Finalize();
    return 0;
}
