/* expect: buffer-race - a struct is cleared for the next use while it's being sent; ranks: 2; line: 22 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct state {
    char name[24];
    double energy[6];
};

int main(int argc, char **argv) {
    int rank;
    struct state state;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(&state, 0, sizeof state);
    if (rank == 1) {
        strcpy(state.name, "argon");
        state.energy[2] = -3.5;
        MPI_Isend(&state, sizeof state, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        memset(&state, 0, sizeof state);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&state, sizeof state, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%s: %g\n", state.name, state.energy[2]);
    }
    MPI_Finalize();
    return 0;
}
