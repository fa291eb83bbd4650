/* expect: operator-mismatch - one rank uses an operator of its own, the other a predefined one; ranks: 2; line: 19 */
#include <mpi.h>
#include <stdio.h>

static void largest(void *in, void *inout, int *n, MPI_Datatype *type) {
    int *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++)
        if (a[i] > b[i]) b[i] = a[i];
}

int main(int argc, char **argv) {
    int rank, v[4], mine[2] = {0};
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(largest, 1, &op);
    for (int i = 0; i < 4; i++) v[i] = rank ? i : -i;
    MPI_Reduce_scatter_block(v, mine, 2, MPI_INT, rank == 0 ? op : MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, mine[0], mine[1]);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
