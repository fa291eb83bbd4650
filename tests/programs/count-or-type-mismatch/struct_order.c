/* expect: count-or-type-mismatch - the members of the struct types stand in another order on the two sides; ranks: 2; line: 24|31 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct item {
    double price;
    int amount[2];
};

int main(int argc, char **argv) {
    int rank;
    struct item item = {0};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int lengths[2] = {1, 2};
        MPI_Aint at[2] = {offsetof(struct item, price), offsetof(struct item, amount)};
        MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
        MPI_Type_create_struct(2, lengths, at, types, &type);
        MPI_Type_commit(&type);
        item.price = 9.5;
        MPI_Send(&item, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        int lengths[2] = {2, 1};
        MPI_Aint at[2] = {offsetof(struct item, amount), offsetof(struct item, price)};
        MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
        MPI_Type_create_struct(2, lengths, at, types, &type);
        MPI_Type_commit(&type);
        MPI_Recv(&item, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("price %g\n", item.price);
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
