/* The column of a matrix and the field of a structure are in flight: those bytes, and no others. */
#include "../two.h"

struct cell {
    char kind;
    double heat, flow;
    int count : 5, more : 7;
};

int main(void) {
    static double a[8][8], b[8][8];
    static struct cell cells[4];
    struct cell c[1];
    double d[1] = {0};
    MPI_Datatype column;
    MPI_Request r[4];
    begin();
    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(&a[0][7], 1, column, peer, 0, W, &r[0]);
    MPI_Isend(&b[0][1], 1, column, peer, 0, W, &r[1]);
    MPI_Irecv(&cells[2].flow, 1, MPI_DOUBLE, peer, 1, W, &r[2]);
    MPI_Isend(&cells[1], sizeof *cells, MPI_BYTE, peer, 2, W, &r[3]);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            if (j != 7) a[i][j] = 1;
            if (j != 1) b[i][j] = 1;
        }
    a[7][7] = 1; /* RACE write */
    a[3][7]++;   /* RACE write */
    b[4][1] = 1; /* RACE write */
    cells[2].heat = cells[2].count = 1;
    cells[2].flow = 1;   /* RACE write */
    cells[1].kind = 'x'; /* RACE write */
    cells[1].more = 3;   /* RACE write */
    cells[0] = cells[3];
    cells[3] = cells[2]; /* RACE read */
    MPI_Send(d, 1, MPI_DOUBLE, peer, 1, W);
    MPI_Recv(c, sizeof c, MPI_BYTE, peer, 2, W, DONE);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
