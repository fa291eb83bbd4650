/* expect: ok - some members of structs are in flight, another member is written meanwhile; ranks: 2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#define N 100

struct particle {
    double position[3];
    int cell; /* stays at home */
    char kind;
    float mass;
};

static MPI_Datatype make_type(void) {
    int lengths[3] = {3, 1, 1};
    MPI_Aint at[3] = {offsetof(struct particle, position), offsetof(struct particle, kind),
                      offsetof(struct particle, mass)};
    MPI_Datatype types[3] = {MPI_DOUBLE, MPI_CHAR, MPI_FLOAT}, raw, type;
    MPI_Type_create_struct(3, lengths, at, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(struct particle), &type);
    MPI_Type_free(&raw);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv) {
    static struct particle mine[N], theirs[N];
    int rank;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype type = make_type();
    for (int i = 0; i < N; i++) mine[i] = (struct particle){{i, rank, 0}, 0, 'e', 1.0f};
    MPI_Irecv(theirs, N, type, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(mine, N, type, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < N; i++) {
        mine[i].cell = (int)mine[i].position[0] % 8;
        theirs[i].cell = -1;
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
    printf("rank %d: %g %c %d\n", rank, theirs[N - 1].position[0], theirs[0].kind, theirs[5].cell);
    MPI_Finalize();
    return 0;
}
