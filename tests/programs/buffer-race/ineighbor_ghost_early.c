/* expect: buffer-race - a neighbour's value is read before Wait; ranks: 3; line: 18 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, counts[2] = {1, 1}, starts[2] = {0, 1};
    double own[2], ghosts[2] = {0}, mean;
    MPI_Comm ring;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sides[2] = {(rank + size - 1) % size, (rank + 1) % size};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sides, MPI_UNWEIGHTED, 2, sides, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    own[0] = own[1] = rank;
    MPI_Ineighbor_alltoallv(own, counts, starts, MPI_DOUBLE, ghosts, counts, starts, MPI_DOUBLE, ring, &request);
    mean = (ghosts[0] + ghosts[1]) / 2;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %g\n", rank, mean);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
