/* expect: count-or-type-mismatch - the root thinks that every rank sends three, rank 1 sends two; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, counts[3] = {3, 3, 3}, starts[3] = {0, 3, 6}, n;
    float part[3], all[9] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = rank == 1 ? 2 : 3;
    for (int i = 0; i < n; i++) part[i] = rank;
    MPI_Gatherv(part, n, MPI_FLOAT, all, counts, starts, MPI_FLOAT, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%g %g %g\n", all[0], all[4], all[8]);
    MPI_Finalize();
    return 0;
}
