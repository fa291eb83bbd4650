/* expect: buffer-race - a blocking receive writes into what is still being sent; ranks: 3; line: 14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, token, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    token = rank;
    for (int i = 0; i < size; i++) {
        MPI_Issend(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += token;
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
