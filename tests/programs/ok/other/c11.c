/* expect: ok - C11: _Generic, _Static_assert, _Alignas, compound literals, variable-length arrays; ranks: 2 */
#include <mpi.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#define TYPE(x) _Generic((x), int: MPI_INT, long: MPI_LONG, float: MPI_FLOAT, double: MPI_DOUBLE, char: MPI_CHAR)
#define SEND(x, n, to, tag) MPI_Send((x), (n), TYPE((x)[0]), (to), (tag), MPI_COMM_WORLD)
#define RECV(x, n, from, tag) MPI_Recv((x), (n), TYPE((x)[0]), (from), (tag), MPI_COMM_WORLD, MPI_STATUS_IGNORE)

_Static_assert(sizeof(double) == 8, "doubles of eight bytes");

struct cell {
    union {
        struct {
            double x, y;
        };
        double v[2];
    };
};

int main(int argc, char **argv) {
    int rank, n = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double row[n];
    alignas(64) float block[32];
    struct cell cell = {.x = rank, .y = 2};
    if (rank == 0) {
        for (int i = 0; i < n; i++) row[i] = i;
        for (int i = 0; i < 32; i++) block[i] = (float)i;
        SEND(row, n, 1, 0);
        SEND(block, 32, 1, 1);
        SEND(((int[]){1, 2, 3}), 3, 1, 2);
        SEND(cell.v, 2, 1, 3);
    } else {
        int three[3];
        RECV(row, n, 0, 0);
        RECV(block, 32, 0, 1);
        RECV(three, 3, 0, 2);
        RECV(cell.v, 2, 0, 3);
        printf("%g %g %d %g\n", row[n - 1], block[31], three[2], cell.x);
    }
    MPI_Finalize();
    return 0;
}
