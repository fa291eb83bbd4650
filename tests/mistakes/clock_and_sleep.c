/* clock() as the clock, sleep() as the computation, and the verification inside the timed region. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void verify(const double *x) {
    if (x[0] != 1) printf("wrong\n");
}

int main(int argc, char **argv) {
    double x[4] = {1, 1, 1, 1};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    clock_t begin = clock();
    double start = MPI_Wtime();
    MPI_Ibcast(x, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    usleep(1000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(x);
    double stop = MPI_Wtime();
    printf("%g s, %g s\n", stop - start, (double)(clock() - begin) / CLOCKS_PER_SEC);
    MPI_Finalize();
    return 0;
}
