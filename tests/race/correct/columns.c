/* Ghost columns and rows are in flight while the inside is computed. */
#include "../two.h"
#define M 20

static double a[M][M], b[M][M];

int main(void) {
    MPI_Datatype column;
    MPI_Request r[4];
    begin();
    MPI_Type_vector(M, 1, M, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int step = 0; step < 3; step++) {
        MPI_Irecv(&a[0][0], 1, column, peer, 0, W, &r[0]);
        MPI_Irecv(&a[0][M - 1], 1, column, peer, 1, W, &r[1]);
        MPI_Isend(&a[0][M - 2], 1, column, peer, 0, W, &r[2]);
        MPI_Isend(&a[0][1], 1, column, peer, 1, W, &r[3]);
        for (int i = 1; i < M - 1; i++)
            for (int j = 2; j < M - 2; j++) b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
        for (int i = 1; i < M - 1; i++)
            for (int j = 2; j < M - 2; j++) a[i][j] = b[i][j];
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        for (int i = 1; i < M - 1; i++) {
            a[i][1] = a[i][0];
            a[i][M - 2] = a[i][M - 1];
        }
    }
    MPI_Type_free(&column);
    MPI_Finalize();
}
