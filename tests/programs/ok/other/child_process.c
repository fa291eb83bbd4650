/* expect: ok - a rank starts children that know nothing of MPI, one by fork and one by popen; ranks: 2 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, status = 0, answer = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            sleep(1);
            _exit(7);
        }
        waitpid(child, &status, 0);
        answer = WEXITSTATUS(status);
        FILE *pipe = popen("echo 35", "r");
        int more = 0;
        if (pipe && fscanf(pipe, "%d", &more) == 1) answer += more;
        if (pipe) pclose(pipe);
    }
    MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, answer);
    MPI_Finalize();
    return 0;
}
