/* expect: deadlock - both ranks receive before they send; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, mine, theirs;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    mine = rank + 1;
    MPI_Recv(&theirs, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    printf("rank %d got %d\n", rank, theirs);
    MPI_Finalize();
    return 0;
}
