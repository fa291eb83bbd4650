/* expect: ok - what may be called before Init and after Finalize; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int started, ended, version, sub, length, rank, provided;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    MPI_Get_version(&version, &sub);
    MPI_Get_library_version(library, &length);
    if (!started && !ended) MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Initialized(&started);
    if (started) MPI_Finalize();
    MPI_Finalized(&ended);
    MPI_Initialized(&started);
    MPI_Get_version(&version, &sub);
    printf("rank %d: MPI %d.%d, %d %d\n", rank, version, sub, started, ended);
    return 0;
}
