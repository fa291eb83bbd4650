/* expect: ok - rank 0 computes for seconds while the others wait; a poll of the message with Iprobe besides; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, found = 0;
    double sum = 0, seconds = argc > 1 ? atof(argv[1]) : 2.5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double begin = MPI_Wtime();
        while (MPI_Wtime() - begin < seconds)
            for (int i = 1; i < 1000000; i++) sum += 1.0 / i;
        MPI_Ssend(&sum, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        while (!found) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Recv(&sum, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    printf("rank %d: %s\n", rank, sum > 0 ? "done" : "nothing");
    MPI_Finalize();
    return 0;
}
