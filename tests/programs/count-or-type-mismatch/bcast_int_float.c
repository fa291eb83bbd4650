/* expect: count-or-type-mismatch - MPI_INT at the root, MPI_FLOAT elsewhere: as many bytes, yet erroneous; ranks: 2; line: 11|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int steps[3] = {100, 200, 300};
        MPI_Bcast(steps, 3, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
        float steps[3];
        MPI_Bcast(steps, 3, MPI_FLOAT, 0, MPI_COMM_WORLD);
        printf("steps %g %g %g\n", steps[0], steps[1], steps[2]);
    }
    MPI_Finalize();
    return 0;
}
