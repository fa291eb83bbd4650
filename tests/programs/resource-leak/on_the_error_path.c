/* expect: resource-leak - the way out through the error branch forgets what the other one frees; ranks: 2; line: 8 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int solve(int n) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (n < 10) return -1;
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    return 0;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = solve(argc > 1 ? atoi(argv[1]) : 5);
    if (rank == 0) printf("%s\n", code == 0 ? "solved" : "too small");
    MPI_Finalize();
    return 0;
}
