/* expect: count-or-type-mismatch - Sendrecv sends unsigned characters and receives signed ones; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    unsigned char pixel[3] = {200, 100, 50};
    signed char other[3];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(pixel, 3, MPI_UNSIGNED_CHAR, 1 - rank, 0, other, 3, MPI_SIGNED_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, other[0]);
    MPI_Finalize();
    return 0;
}
