/* expect: buffer-race - a value is changed while the neighbours are to get it; ranks: 3; line: 17 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, own[3], ghosts[2];
    MPI_Comm ring;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &ring);
    own[0] = own[1] = own[2] = rank;
    MPI_Ineighbor_alltoall(own, 2, MPI_INT, ghosts, 2, MPI_INT, ring, &request);
    own[1] = -1;
    own[2] = -1; /* this one isn't sent */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d\n", rank, ghosts[0], ghosts[1]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
