/* expect: mpi-error|invalid-argument - opened for reading, written to, and the return code of the write thrown away; ranks: 2; line: 18 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char name[64];
    int rank, value;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/mpilab-read-%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) fclose(fopen(name, "w"));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    value = 10 * rank;
    MPI_File_write_at(file, (MPI_Offset)rank * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (rank == 0) unlink(name);
    printf("rank %d wrote %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
