/* expect: invalid-argument - colors of Comm_split can't be negative; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, inner;
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, -2 - rank, rank, &part);
    MPI_Comm_rank(part, &inner);
    printf("rank %d is %d\n", rank, inner);
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
