/* expect: ok - a ring in which even ranks send first and odd ranks receive first; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, in = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out = rank * rank;
    for (int step = 0; step < 10; step++) {
        if (rank % 2 == 0) {
            MPI_Send(&out, 1, MPI_INT, right, step, MPI_COMM_WORLD);
            MPI_Recv(&in, 1, MPI_INT, left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&in, 1, MPI_INT, left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&out, 1, MPI_INT, right, step, MPI_COMM_WORLD);
        }
        out = in;
    }
    printf("rank %d: %d\n", rank, out);
    MPI_Finalize();
    return 0;
}
