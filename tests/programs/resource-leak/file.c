/* expect: resource-leak - the file is opened and never closed; ranks: 2; line: 14 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char name[64];
    int rank, value;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/mpilab-leak-%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    value = 100 + rank;
    MPI_File_write_at(file, (MPI_Offset)rank * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) unlink(name);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
