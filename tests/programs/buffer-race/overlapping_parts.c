/* expect: buffer-race - the receives' parts overlap by one element: n / 2 + 1 instead of n / 2; ranks: 3; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *field = calloc(n + 1, sizeof *field);
    if (rank == 0) {
        MPI_Request request[2];
        MPI_Irecv(field, n / 2 + 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(field + n / 2, n / 2 + 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        printf("%d %d\n", field[0], field[n - 1]);
    } else {
        for (int i = 0; i <= n / 2; i++) field[i] = rank;
        MPI_Send(field, n / 2 + 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    free(field);
    MPI_Finalize();
    return 0;
}
