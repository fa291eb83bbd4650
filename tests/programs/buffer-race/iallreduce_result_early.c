/* expect: buffer-race - the residual is tested before the reduction is complete; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, steps = 0;
    double local = 1, global = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (steps < 5) {
        local /= 2;
        MPI_Iallreduce(&local, &global, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
        if (global < 1e-9) MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        steps++;
    }
    printf("rank %d: %g after %d\n", rank, global, steps);
    MPI_Finalize();
    return 0;
}
