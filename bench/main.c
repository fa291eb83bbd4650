/* The same kernel as a program of its own, for timing whole runs under mpiexec: main STEPS */
#include <stdio.h>

int main(int argc, char **argv) {
    static double in[64], out[64];
    struct kernel_shape shape = {64, argc > 1 ? atol(argv[1]) : 1, 64, 64};
    struct kernel *kernel;
    int code;
    MPI_Init(&argc, &argv);
    code = kernel_init(MPI_COMM_WORLD, &shape, in, out, &kernel) || kernel_run(kernel) || kernel_free(&kernel);
    MPI_Finalize();
    return code;
}
