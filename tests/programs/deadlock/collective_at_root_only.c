/* expect: deadlock|call-mismatch - the sum is asked for by rank 0 alone; ranks: 3; line: 22 */
#include <mpi.h>
#include <stdio.h>

static long count_primes(int from, int to) {
    long count = 0;
    for (int n = from; n < to; n++) {
        int prime = n > 1;
        for (int d = 2; d * d <= n && prime; d++) prime = n % d != 0;
        count += prime;
    }
    return count;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long mine = count_primes(1000 * rank, 1000 * (rank + 1)), all;
    if (rank == 0) {
        MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        printf("%ld primes below %d\n", all, 1000 * size);
    }
    MPI_Finalize();
    return 0;
}
