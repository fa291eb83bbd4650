/* expect: buffer-race - one variable for the messages to all workers, changed between the Isends; ranks: 4; line: 13 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, task;
    MPI_Request request[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            task = 100 + to;
            MPI_Isend(&task, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request[to - 1]);
        }
        MPI_Waitall(size - 1, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d: task %d\n", rank, task);
    }
    MPI_Finalize();
    return 0;
}
