/* expect: eager-reliance - a blocking send to oneself before the receive; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, *part = NULL, mine = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        part = malloc(size * sizeof *part);
        for (int i = 0; i < size; i++) {
            part[i] = i * i;
            MPI_Send(&part[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD); /* to rank 0 too */
        }
        free(part);
    }
    MPI_Recv(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %d\n", rank, mine);
    MPI_Finalize();
    return 0;
}
