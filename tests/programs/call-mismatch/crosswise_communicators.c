/* expect: call-mismatch|deadlock - barriers of two communicators in another order on each side; ranks: 2; line: 13|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Comm a, b;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    if (rank == 0) {
        MPI_Barrier(a);
        MPI_Barrier(b);
    } else {
        MPI_Barrier(b);
        MPI_Barrier(a);
    }
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
