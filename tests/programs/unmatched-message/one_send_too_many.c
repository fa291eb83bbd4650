/* expect: unmatched-message|eager-reliance - rank 0 sends one message more than rank 1 receives; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>
#define N 5

int main(int argc, char **argv) {
    int rank, value = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (value = 0; value <= N; value++) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < N; i++) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        printf("sum %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
