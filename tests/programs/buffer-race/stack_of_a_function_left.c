/* expect: buffer-race - a function posts a send of its own array and returns; the stack is used by others; ranks: 2; line: 8|13 */
#include <mpi.h>
#include <stdio.h>

void post(int to, MPI_Request *request) {
    double message[64];
    for (int i = 0; i < 64; i++) message[i] = i;
    MPI_Isend(message, 64, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, request);
}

double compute(int n) {
    double work[96], sum = 0;
    for (int i = 0; i < 96; i++) work[i] = 0.5 * n;
    for (int i = 0; i < 96; i++) sum += work[i];
    return sum;
}

int main(int argc, char **argv) {
    int rank;
    double in[64];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    post(1 - rank, &request);
    in[0] = compute(rank);
    MPI_Recv(in, 64, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, in[63]);
    MPI_Finalize();
    return 0;
}
