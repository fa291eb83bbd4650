/* expect: ok - MPI_Pcontrol of all levels, and with more arguments than a tool may know; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Pcontrol(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pcontrol(1);
    for (int step = 0; step < 5; step++) {
        MPI_Pcontrol(3, "step", step);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Pcontrol(2);
    MPI_Pcontrol(-1, "end");
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
