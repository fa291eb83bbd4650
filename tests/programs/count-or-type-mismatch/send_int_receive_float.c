/* expect: count-or-type-mismatch - ints are sent and floats received; ranks: 2; line: 13|16 */
#include <mpi.h>
#include <stdio.h>
#define N 20

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int data[N];
        for (int i = 0; i < N; i++) data[i] = i;
        MPI_Send(data, N, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        float data[N];
        MPI_Recv(data, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("last %g\n", data[N - 1]);
    }
    MPI_Finalize();
    return 0;
}
