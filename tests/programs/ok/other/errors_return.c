/* expect: ok - every return code is looked at, with MPI_ERRORS_RETURN set, and none is an error; ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;

static int tried(int code, const char *file, int line) {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
        failures++;
    }
    return code;
}
#define TRY(call) tried(call, __FILE__, __LINE__)

int main(int argc, char **argv) {
    int rank, class, code, sum = 0;
    TRY(MPI_Init(&argc, &argv));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    TRY(MPI_Add_error_class(&class));
    TRY(MPI_Add_error_code(class, &code));
    TRY(MPI_Add_error_string(code, "no such cell"));
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    printf("rank %d: %d, %d failures\n", rank, sum, failures);
    TRY(MPI_Finalize());
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
