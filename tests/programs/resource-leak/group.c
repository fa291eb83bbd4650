/* expect: resource-leak - MPI_Comm_group's group is never freed; ranks: 2; line: 9 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Group group;
    MPI_Init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_size(group, &size);
    printf("rank %d of %d\n", rank, size);
    MPI_Finalize();
    return 0;
}
