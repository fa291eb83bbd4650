/* expect: deadlock|call-mismatch - a rank without messages doesn't join the nonblocking barrier; ranks: 3; line: 13|15 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, messages, done = 0, polls = 0;
    MPI_Request barrier;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    messages = (rank + 1) % size;
    if (messages > 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        while (!done) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            polls++;
        }
    }
    printf("rank %d: %s\n", rank, polls ? "polled" : "no messages");
    MPI_Finalize();
    return 0;
}
