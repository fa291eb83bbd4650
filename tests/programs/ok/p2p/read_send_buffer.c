/* expect: ok - a send buffer may be read while the send is in flight, and sent again; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#define N 50000

int main(int argc, char **argv) {
    static double field[N], in[N];
    double sum = 0;
    int rank, size;
    MPI_Request request[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N; i++) field[i] = rank + i;
    MPI_Irecv(in, N, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(field, N, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(field, 1, MPI_DOUBLE, rank, 2, MPI_COMM_WORLD, &request[2]);
    for (int i = 0; i < N; i++) sum += field[i] * field[i];
    double first;
    MPI_Recv(&first, 1, MPI_DOUBLE, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    printf("rank %d: %g %g %g\n", rank, sum, first, in[N - 1]);
    MPI_Finalize();
    return 0;
}
