/* expect: eager-reliance - sent as tag 1 then tag 2, received as tag 2 then tag 1; ranks: 2; line: 12|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    double header[4] = {0}, body[300] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        header[0] = 300;
        MPI_Send(header, 4, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(body, 300, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(body, 300, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(header, 4, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %g %g\n", rank, header[0], body[0]);
    MPI_Finalize();
    return 0;
}
