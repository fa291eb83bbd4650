/* expect: unmatched-message - Isend, Request_free, and nobody who receives; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    static char note[32] = "nobody reads this";
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(note, 32, MPI_CHAR, 1, 9, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
