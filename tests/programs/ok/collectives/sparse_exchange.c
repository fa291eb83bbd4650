/* expect: ok - unknown senders: Issend, Iprobe and an Ibarrier that says that all have been received; ranks: 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, sends = 0, got = 0, out[4], in, all_sent, over = 0, in_barrier = 0, found;
    MPI_Request send[4], barrier;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int to = 0; to < size; to++)
        if ((rank * 7 + to * 3) % 4 == 1 && to != rank) {
            out[sends] = rank;
            MPI_Issend(&out[sends], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &send[sends]);
            sends++;
        }
    while (!over) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            got++;
        }
        if (in_barrier) {
            MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
        } else {
            MPI_Testall(sends, send, &all_sent, MPI_STATUSES_IGNORE);
            if (all_sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                in_barrier = 1;
            }
        }
    }
    printf("rank %d: %d sent, %d received\n", rank, sends, got);
    MPI_Finalize();
    return 0;
}
