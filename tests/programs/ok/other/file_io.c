/* expect: ok - MPI-IO to a temporary file: collective and single writes, a view, reading back; ranks: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define N 100

int main(int argc, char **argv) {
    char name[64];
    int rank, size, data[N], back[N];
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof name, "/tmp/mpilab-io-%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1); /* files return their errors: this one is expected */
    for (int i = 0; i < N; i++) data[i] = rank * N + i;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at_all(file, (MPI_Offset)rank * N * (MPI_Offset)sizeof(int), data, N, MPI_INT, &status);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_set_view(file, (MPI_Offset)((rank + 1) % size) * N * (MPI_Offset)sizeof(int), MPI_INT, MPI_INT, "native",
                      MPI_INFO_NULL);
    MPI_File_iread(file, back, N, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_close(&file);
    printf("rank %d: %d\n", rank, back[N - 1]);
    MPI_Finalize();
    return back[0] != (rank + 1) % size * N;
}
