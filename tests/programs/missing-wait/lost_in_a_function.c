/* expect: missing-wait|request-lifecycle - the request is a local variable of the function that starts the operation; ranks: 2; line: 9 */
#include <mpi.h>
#include <stdio.h>

static double result[8];

static void send_result(int to) {
    MPI_Request request;
    MPI_Isend(result, 8, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &request);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        result[7] = rank;
        send_result(0);
    } else {
        for (int from = 1; from < size; from++)
            MPI_Recv(result, 8, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("last %g\n", result[7]);
    }
    MPI_Finalize();
    return 0;
}
