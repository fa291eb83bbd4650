/* expect: outside-mpi - a library initialises MPI again; ranks: 2; line: 7 */
#include <mpi.h>
#include <stdio.h>

static void library_setup(int *argc, char ***argv) {
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    library_setup(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
