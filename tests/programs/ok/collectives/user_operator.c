/* expect: ok - an operator of one's own on a type of one's own, also nonblocking; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

struct complex {
    double re, im;
};

static void multiply(void *in, void *inout, int *n, MPI_Datatype *type) {
    struct complex *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        struct complex c = {a[i].re * b[i].re - a[i].im * b[i].im, a[i].re * b[i].im + a[i].im * b[i].re};
        b[i] = c;
    }
}

int main(int argc, char **argv) {
    int rank;
    struct complex z[5], product[5];
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 1, &op);
    for (int i = 0; i < 5; i++) z[i] = (struct complex){rank + 1, i};
    MPI_Reduce(z, product, 5, type, op, 0, MPI_COMM_WORLD);
    MPI_Iallreduce(z, product, 5, type, op, MPI_COMM_WORLD, &request);
    MPI_Op_free(&op); /* freed when the reduction is through */
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("rank %d: %g%+gi\n", rank, product[4].re, product[4].im);
    MPI_Finalize();
    return 0;
}
