/* expect: deadlock - a probe for a message of a tag that nobody sends; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        char line[] = "to be continued";
        MPI_Send(line, sizeof line, MPI_CHAR, 1, 10, MPI_COMM_WORLD);
    } else {
        MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &n);
        char *line = malloc(n);
        MPI_Recv(line, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%s\n", line);
        free(line);
    }
    MPI_Finalize();
    return 0;
}
