/* expect: ok - handles are values: copied into another array, swapped, and completed once each; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void swap(MPI_Request *a, MPI_Request *b) {
    MPI_Request c = *a;
    *a = *b;
    *b = c;
}

int main(int argc, char **argv) {
    int rank, size, in[2] = {0}, out[2];
    MPI_Request first[4], all[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    out[0] = out[1] = rank;
    MPI_Irecv(&in[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &first[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &first[1]);
    MPI_Isend(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &first[2]);
    MPI_Isend(&out[1], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &first[3]);
    swap(&first[0], &first[3]);
    memcpy(all, first, sizeof all);
    swap(&all[1], &all[2]);
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    MPI_Request rest[3] = {all[3], all[1], all[2]};
    MPI_Waitall(3, rest, MPI_STATUSES_IGNORE);
    printf("rank %d: from the left %d, from the right %d\n", rank, in[0], in[1]);
    MPI_Finalize();
    return 0;
}
