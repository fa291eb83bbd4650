/* expect: request-lifecycle - the request of a nonblocking collective can't be freed; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, v[100] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    v[0] = rank;
    MPI_Ibcast(v, 100, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
