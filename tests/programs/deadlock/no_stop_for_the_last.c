/* expect: deadlock - the master's loop of stop messages ends one worker too early; ranks: 4; line: 17 */
#include <mpi.h>
#include <stdio.h>
enum { TASK = 1, STOP };

int main(int argc, char **argv) {
    int rank, size, task = 0, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (task = 0; task < 30; task++) MPI_Send(&task, 1, MPI_INT, 1 + task % (size - 1), TASK, MPI_COMM_WORLD);
        for (int worker = 1; worker < size - 1; worker++) MPI_Send(&task, 1, MPI_INT, worker, STOP, MPI_COMM_WORLD);
    } else {
        do {
            MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            sum += status.MPI_TAG == TASK ? task : 0;
        } while (status.MPI_TAG != STOP);
        printf("worker %d: %d\n", rank, sum);
    }
    MPI_Finalize();
    return 0;
}
