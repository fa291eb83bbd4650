/* expect: eager-reliance - rank 0 serves rank 1 first, which waits for rank 2, which waits for rank 0; ranks: 3; line: 12 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, a = 0, b = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (rank) {
    case 0:
        a = b = 1;
        MPI_Send(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Recv(&b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Recv(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        b = a + 1;
        MPI_Send(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        break;
    }
    printf("rank %d: %d %d\n", rank, a, b);
    MPI_Finalize();
    return 0;
}
