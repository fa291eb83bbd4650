/* expect: ok - the elements beside a buffer in flight are used, those in it aren't; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define N 4096

int main(int argc, char **argv) {
    char text[2 * N + 1];
    int rank;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(text, 'a' + rank, 2 * N);
    text[2 * N] = '\0';
    /* two messages into the two halves, but for the last character of each */
    if (rank == 1) {
        MPI_Irecv(text, N - 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(text + N, N - 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request[1]);
    } else {
        MPI_Isend(text, N - 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(text + N, N - 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request[1]);
    }
    text[N - 1] = '|';
    text[2 * N - 1] = text[N - 1];
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %.3s %s\n", rank, text, text + 2 * N - 3);
    MPI_Finalize();
    return 0;
}
