/* expect: invalid-argument - a struct keeps a communicator that somebody else has freed; ranks: 2; line: 10 */
#include <mpi.h>
#include <stdio.h>

struct solver {
    MPI_Comm comm;
    double residual;
};

static void reduce(struct solver *s) { MPI_Allreduce(MPI_IN_PLACE, &s->residual, 1, MPI_DOUBLE, MPI_MAX, s->comm); }

int main(int argc, char **argv) {
    int rank;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    struct solver s = {comm, rank};
    reduce(&s);
    MPI_Comm_free(&comm);
    s.residual /= 2;
    reduce(&s);
    printf("rank %d: %g\n", rank, s.residual);
    MPI_Finalize();
    return 0;
}
