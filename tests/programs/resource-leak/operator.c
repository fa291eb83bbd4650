/* expect: resource-leak - the operator is created and never freed; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>

static void difference(void *in, void *inout, int *n, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *n; i++) ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

int main(int argc, char **argv) {
    int rank, x, y = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(difference, 0, &op);
    x = 2 * rank;
    MPI_Reduce(&x, &y, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, y);
    MPI_Finalize();
    return 0;
}
