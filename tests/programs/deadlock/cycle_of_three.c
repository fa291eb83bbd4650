/* expect: deadlock - three ranks send 2 MB to the next one first; ranks: 3; line: 16 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#define N 500000

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *mine = malloc(N * sizeof *mine), *theirs = malloc(N * sizeof *theirs);
    long sum = 0;
    for (int i = 0; i < N; i++) mine[i] = rank;
    for (int shift = 1; shift < size; shift++) {
        MPI_Send(mine, N, MPI_INT, (rank + shift) % size, shift, MPI_COMM_WORLD);
        MPI_Recv(theirs, N, MPI_INT, (rank + size - shift) % size, shift, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += theirs[N - 1];
    }
    printf("rank %d: %ld\n", rank, sum);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
