/* expect: resource-leak - the resized type is freed, the one that it was made from is not; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, v[12] = {0};
    MPI_Datatype raw, type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 4, MPI_INT, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Bcast(v, 4, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    printf("rank %d: %d\n", rank, v[11]);
    MPI_Finalize();
    return 0;
}
