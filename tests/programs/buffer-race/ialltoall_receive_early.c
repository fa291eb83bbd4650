/* expect: buffer-race - the block from oneself is read before Wait, as if it were there already; ranks: 3; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, out[3], in[3] = {0}, own;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) out[i] = 10 * rank + i;
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request);
    own = in[rank];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d\n", rank, own, in[0]);
    MPI_Finalize();
    return 0;
}
