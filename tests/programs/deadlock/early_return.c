/* expect: deadlock|call-mismatch - one rank finds its part empty and leaves before the reduction; ranks: 4; line: 18 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size, n = 9, sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int chunk = (n + size - 2) / (size - 1);
    int first = rank * chunk, last = first + chunk < n ? first + chunk : n;
    if (first >= last) {
        fprintf(stderr, "rank %d has nothing to do\n", rank);
        MPI_Finalize();
        return 0;
    }
    for (int i = first; i < last; i++) sum += i;
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("total %d\n", total);
    MPI_Finalize();
    return 0;
}
