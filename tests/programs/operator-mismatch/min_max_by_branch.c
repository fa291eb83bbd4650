/* expect: operator-mismatch - the root wants the minimum, its workers the maximum; ranks: 2; line: 12|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    float time, result = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    time = 0.1f * (rank + 1);
    if (rank == 0) {
        MPI_Reduce(&time, &result, 1, MPI_FLOAT, MPI_MIN, 0, MPI_COMM_WORLD);
        printf("fastest %g\n", result);
    } else {
        MPI_Reduce(&time, NULL, 1, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
