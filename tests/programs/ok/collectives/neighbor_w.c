/* expect: ok - neighbours of each type at displacements in bytes, nonblocking, persistent and large; ranks: 4 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct cell {
    int number;
    double value;
};

int main(int argc, char **argv) {
    int rank, size, degree = 2;
    struct cell own, ghosts[2] = {{0, 0}, {0, 0}};
    MPI_Comm path;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sides[2] = {(rank + size - 1) % size, (rank + 1) % size};
    if (rank == size - 1) degree = 0; /* belongs to nobody, and makes all calls nevertheless */
    if (rank == 0) sides[0] = sides[1], degree = 1;
    if (rank == size - 2) degree = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, sides, MPI_UNWEIGHTED, degree, sides, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &path);
    int counts[2] = {1, 1};
    MPI_Count large[2] = {1, 1};
    MPI_Aint numbers[2] = {0, 0}, values[2] = {offsetof(struct cell, value), offsetof(struct cell, value)};
    MPI_Aint to_numbers[2] = {0, sizeof own}, to_values[2] = {values[0], values[0] + (MPI_Aint)sizeof own};
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT}, doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Neighbor_alltoallw_init(&own, counts, numbers, ints, ghosts, counts, to_numbers, ints, path, MPI_INFO_NULL,
                                &requests[0]);
    for (int step = 0; step < 3; step++) {
        own = (struct cell){rank, step};
        MPI_Start(&requests[0]);
        MPI_Ineighbor_alltoallw_c(&own, large, values, doubles, ghosts, large, to_values, doubles, path, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        for (int i = 0; i < degree; i++)
            if (ghosts[i].number != sides[i] || ghosts[i].value != step) printf("rank %d is wrong\n", rank);
    }
    MPI_Request_free(&requests[0]);
    MPI_Comm_free(&path);
    MPI_Finalize();
    return 0;
}
