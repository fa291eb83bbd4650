/* expect: ok - the two sides count differently, yet their type signatures agree; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, flat[12], pairs[12], spread[24] = {0};
    MPI_Datatype two, six, every_other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Type_contiguous(3, two, &six);
    MPI_Type_commit(&six);
    MPI_Type_vector(12, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    for (int i = 0; i < 12; i++) flat[i] = pairs[i] = i;
    if (rank == 0) {
        MPI_Send(flat, 12, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(flat, 6, two, 1, 1, MPI_COMM_WORLD);
        MPI_Send(flat, 2, six, 1, 2, MPI_COMM_WORLD);
        MPI_Bcast(flat, 12, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(pairs, 6, two, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(spread, 1, every_other, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(pairs, 12, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(spread, 1, every_other, 0, MPI_COMM_WORLD);
    }
    MPI_Type_free(&two);
    MPI_Type_free(&six);
    MPI_Type_free(&every_other);
    printf("rank %d: %d %d\n", rank, pairs[11], spread[22]);
    MPI_Finalize();
    return 0;
}
