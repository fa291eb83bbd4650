/* expect: call-mismatch - the last rank wants the sum before it, and calls Exscan while the others call Scan; ranks: 3; line: 12|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, count, offset = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count = 10 + rank;
    if (rank < size - 1) {
        MPI_Scan(&count, &offset, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        offset -= count;
    } else {
        MPI_Exscan(&count, &offset, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d: %d from %d\n", rank, count, offset);
    MPI_Finalize();
    return 0;
}
