/* expect: ok - ANY_TAG from one sender is deterministic: messages don't overtake each other; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
enum { WORK, STOP };

int main(int argc, char **argv) {
    int rank, job = 0, done = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (job = 0; job < 20; job++) MPI_Send(&job, 1, MPI_INT, 1, WORK, MPI_COMM_WORLD);
        MPI_Send(&job, 1, MPI_INT, 1, STOP, MPI_COMM_WORLD);
    } else {
        for (;;) {
            MPI_Recv(&job, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == STOP) break;
            done += job;
        }
        printf("sum of jobs %d\n", done);
    }
    MPI_Finalize();
    return 0;
}
