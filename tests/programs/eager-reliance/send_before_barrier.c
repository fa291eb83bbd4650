/* expect: eager-reliance - the message is received after a barrier that the sender enters after its send; ranks: 2; line: 12|14 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    char word[16] = "nothing";
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        snprintf(word, sizeof word, "hello");
        MPI_Send(word, 16, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(word, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %s\n", rank, word);
    MPI_Finalize();
    return 0;
}
