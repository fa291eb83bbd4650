/* expect: invalid-argument - the operator is MPI_OP_NULL; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

static MPI_Op choose(const char *name) { return name[0] == '+' ? MPI_SUM : name[0] == '*' ? MPI_PROD : MPI_OP_NULL; }

int main(int argc, char **argv) {
    int rank, result = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &result, 1, MPI_INT, choose(argc > 1 ? argv[1] : "max"), MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, result);
    MPI_Finalize();
    return 0;
}
