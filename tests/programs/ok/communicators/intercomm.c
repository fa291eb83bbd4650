/* expect: ok - two groups and an intercommunicator: messages, Bcast with MPI_ROOT, Allreduce, merge; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, inner, value = 0, sum;
    MPI_Comm half, other, whole;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int upper = rank >= size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    MPI_Comm_rank(half, &inner);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 12, &other);
    if (upper)
        MPI_Send(&rank, 1, MPI_INT, inner, 0, other);
    else
        MPI_Recv(&value, 1, MPI_INT, inner, 0, other, MPI_STATUS_IGNORE);
    if (upper)
        MPI_Bcast(&value, 1, MPI_INT, 1, other);
    else
        MPI_Bcast(&value, 1, MPI_INT, inner == 1 ? MPI_ROOT : MPI_PROC_NULL, other);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
    MPI_Intercomm_merge(other, !upper, &whole);
    MPI_Bcast(&sum, 1, MPI_INT, 0, whole);
    MPI_Comm_free(&whole);
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
    printf("rank %d: %d %d\n", rank, value, sum);
    MPI_Finalize();
    return 0;
}
