/* expect: truncation - strlen + 1 characters are sent, the receiver has room for 16; ranks: 2; line: 15 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[16];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        const char *text = "a line of more than sixteen characters";
        MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(line, sizeof line, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%.15s\n", line);
    }
    MPI_Finalize();
    return 0;
}
