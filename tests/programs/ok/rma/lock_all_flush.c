/* expect: ok - a passive epoch for all: tickets by Fetch_and_op, Puts to places of one's own, flushed; ranks: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, ticket = -1, one = 1;
    MPI_Win win;
    int *base;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate((size + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i <= size; i++) base[i] = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, size, MPI_SUM, win);
    MPI_Win_flush(0, win);
    int line = 10 + rank;
    MPI_Put(&line, 1, MPI_INT, 0, ticket, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    if (rank == 0) {
        int sum = 0;
        for (int i = 0; i < size; i++) sum += base[i];
        printf("%d tickets, sum %d\n", base[size], sum);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
