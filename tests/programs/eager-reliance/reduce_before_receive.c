/* expect: eager-reliance - workers send their table and then reduce, the root reduces and then receives; ranks: 3; line: 13|14 */
#include <mpi.h>
#include <stdio.h>
#define N 50

int main(int argc, char **argv) {
    float table[N] = {0}, mine, sum = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = table[0] = rank;
    if (rank != 0) MPI_Send(table, N, MPI_FLOAT, 0, 3, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &sum, 1, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(table, N, MPI_FLOAT, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("table of rank %g\n", table[0]);
        }
        printf("sum %g\n", sum);
    }
    MPI_Finalize();
    return 0;
}
