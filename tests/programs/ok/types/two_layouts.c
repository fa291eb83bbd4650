/* expect: ok - a struct's members in the same order of types, though at other places on the other side; ranks: 2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct wide {
    long id;
    char padding[40];
    double weight;
};
struct narrow {
    double weight;
    long id;
};

int main(int argc, char **argv) {
    int rank, lengths[2] = {1, 1};
    MPI_Datatype type, members[2] = {MPI_LONG, MPI_DOUBLE};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Aint at[2][2] = {{offsetof(struct wide, id), offsetof(struct wide, weight)},
                         {offsetof(struct narrow, id), offsetof(struct narrow, weight)}};
    MPI_Type_create_struct(2, lengths, at[rank], members, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        struct wide out = {42, "not sent", 2.5};
        MPI_Send(&out, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        struct narrow in;
        MPI_Recv(&in, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("id %ld, weight %g\n", in.id, in.weight);
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
