/* expect: missing-wait - the receives are waited for, the sends are taken for done; ranks: 3; line: 15|16 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, out, in[2] = {0};
    MPI_Request receive[2], send[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    out = rank;
    MPI_Irecv(&in[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &receive[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &receive[1]);
    MPI_Isend(&out, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &send[0]);
    MPI_Isend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &send[1]);
    MPI_Waitall(2, receive, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, in[0], in[1]);
    MPI_Finalize();
    return 0;
}
