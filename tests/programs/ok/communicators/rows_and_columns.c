/* expect: ok - row and column communicators, with different collectives running in each at the same time; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, q = 2, x, y, z = 0;
    MPI_Comm row, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / q, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % q, rank, &column);
    x = z = rank;
    if (rank / q == 0) { /* the first row sums, the second takes the maximum and has a barrier more */
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, row);
    } else {
        MPI_Barrier(row);
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, row);
    }
    MPI_Bcast(&y, 1, MPI_INT, rank % q, column);
    MPI_Request request;
    MPI_Ireduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, row, &request);
    MPI_Bcast(&z, 1, MPI_INT, 0, column);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    printf("rank %d of %d: %d %d %d\n", rank, size, x, y, z);
    MPI_Finalize();
    return 0;
}
