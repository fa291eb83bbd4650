/* expect: deadlock - in the ring everybody waits for the left neighbour first; ranks: 4; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, token = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size;
    int right = (rank + 1) % size;
    MPI_Recv(&token, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &status);
    token += rank;
    MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("the token has value %d\n", token);
    MPI_Finalize();
    return 0;
}
