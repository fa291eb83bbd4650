/* expect: buffer-race - the received value is used before Wait; ranks: 2; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, mine, theirs = 0, sum;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank + 1;
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    sum = mine + theirs;
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
