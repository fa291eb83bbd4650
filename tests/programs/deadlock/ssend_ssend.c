/* expect: deadlock - synchronous sends on both sides; ranks: 2; line: 7 */
#include <mpi.h>
#include <stdio.h>

static void swap_values(int other, int *value) {
    int mine = *value;
    MPI_Ssend(&mine, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
    MPI_Recv(value, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = 3 * rank;
    swap_values(1 - rank, &value);
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
