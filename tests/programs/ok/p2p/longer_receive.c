/* expect: ok - a receive may be longer than the message; the status says how much came; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, got = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        float part[10] = {1, 2, 3, 4, 5};
        for (int n = 0; n <= 10; n++) MPI_Send(part, n, MPI_FLOAT, 1, n, MPI_COMM_WORLD);
    } else {
        float *all = malloc(100 * sizeof(float));
        for (int n = 0; n <= 10; n++) {
            MPI_Status status;
            int count;
            MPI_Recv(all + got, 100 - got, MPI_FLOAT, 0, n, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_FLOAT, &count);
            got += count;
        }
        printf("got %d elements, the last %g\n", got, all[got - 6]);
        free(all);
    }
    MPI_Finalize();
    return 0;
}
