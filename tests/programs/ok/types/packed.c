/* expect: ok - packed on one side and typed on the other, both ways; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    char box[200];
    int rank, at = 0, n[2] = {3, 0};
    double x[3] = {1.5, 2.5, 3.5};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Pack(n, 1, MPI_INT, box, sizeof box, &at, MPI_COMM_WORLD);
        MPI_Pack(x, 3, MPI_DOUBLE, box, sizeof box, &at, MPI_COMM_WORLD);
        MPI_Send(box, at, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
        at = 0;
        MPI_Pack(x, 2, MPI_DOUBLE, box, sizeof box, &at, MPI_COMM_WORLD);
        MPI_Send(box, at, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
        MPI_Send(x, 3, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(box, sizeof box, MPI_PACKED, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Unpack(box, sizeof box, &at, &n[1], 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(box, sizeof box, &at, x, n[1], MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Recv(x, 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(box, sizeof box, MPI_PACKED, 0, 2, MPI_COMM_WORLD, &status);
        at = 0;
        MPI_Unpack(box, sizeof box, &at, x, 3, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    printf("rank %d: %g %g %g\n", rank, x[0], x[1], x[2]);
    MPI_Finalize();
    return 0;
}
