/* expect: ok - Mprobe and Mrecv, Improbe and Imrecv; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        int data[20] = {rank};
        MPI_Send(data, 10 * rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Message message;
        MPI_Status status;
        int count, found = 0, one;
        MPI_Request request;
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        int from = status.MPI_SOURCE, *data = malloc(count * sizeof *data);
        MPI_Mrecv(data, count, MPI_INT, &message, MPI_STATUS_IGNORE);
        while (!found) MPI_Improbe(from, 1, MPI_COMM_WORLD, &found, &message, &status);
        MPI_Imrecv(&one, 1, MPI_INT, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d elements from %d, and %d\n", count, data[0], one);
        free(data);
    }
    MPI_Finalize();
    return 0;
}
