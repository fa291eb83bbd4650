/* expect: deadlock - each rank stops by its own residual, the slower one waits for the other's last message; ranks: 2; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, steps = 0;
    double mine, theirs, error;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = error = rank == 0 ? 1.0 : 1000.0;
    while (error > 1e-3) {
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 1 - rank, 0, &theirs, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        error /= 2;
        mine = 0.5 * (mine + theirs);
        steps++;
    }
    printf("rank %d: %g after %d steps\n", rank, mine, steps);
    MPI_Finalize();
    return 0;
}
