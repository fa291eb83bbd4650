/* expect: resource-leak - the info object is never freed; ranks: 2; line: 11 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    double *data;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Alloc_mem(100 * sizeof *data, info, &data);
    data[0] = rank;
    printf("rank %d: %g\n", rank, data[0]);
    MPI_Free_mem(data);
    MPI_Finalize();
    return 0;
}
