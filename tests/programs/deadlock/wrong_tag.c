/* expect: deadlock - results are sent with the tag of the work and received with the tag of results; ranks: 3; line: 18 */
#include <mpi.h>
#include <stdio.h>
#define TAG_WORK 1
#define TAG_RESULT 2

int main(int argc, char **argv) {
    int rank, size, work, result, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            work = 10 * i;
            MPI_Send(&work, 1, MPI_INT, i, TAG_WORK, MPI_COMM_WORLD);
        }
        for (int i = 1; i < size; i++) {
            MPI_Recv(&result, 1, MPI_INT, i, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += result;
        }
        printf("sum %d\n", sum);
    } else {
        MPI_Recv(&work, 1, MPI_INT, 0, TAG_WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        result = work * work;
        MPI_Send(&result, 1, MPI_INT, 0, TAG_WORK, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
