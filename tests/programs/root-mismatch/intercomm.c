/* expect: root-mismatch - the receiving group names another rank than the one that gave MPI_ROOT; ranks: 4; line: 15|17 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, inner, value = 0;
    MPI_Comm half, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Comm_rank(half, &inner);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &other);
    if (rank < 2) {
        value = 100 + inner;
        MPI_Bcast(&value, 1, MPI_INT, inner == 0 ? MPI_ROOT : MPI_PROC_NULL, other);
    } else {
        MPI_Bcast(&value, 1, MPI_INT, 1, other);
    }
    printf("rank %d: %d\n", rank, value);
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
