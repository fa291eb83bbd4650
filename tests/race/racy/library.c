/* Functions of the C library touch the buffer: nothing of them is instrumented. */
#include "../two.h"
#include <strings.h>

static int by_value(const void *a, const void *b) {
    (void)a, (void)b;
    return 0;
}

int main(void) {
    static char in[N], out[N], other[N];
    MPI_Request r[2];
    begin();
    MPI_Irecv(in, N, MPI_CHAR, peer, 0, W, &r[0]);
    MPI_Isend(out, N, MPI_CHAR, peer, 0, W, &r[1]);
    memcpy(in, other, N);     /* RACE write */
    memcpy(in + 8, other, 8); /* RACE write */
    memcpy(other, in, 90);    /* RACE read */
    memmove(out, other, N);   /* RACE write */
    memset(out, 0, 4);        /* RACE write */
    bzero(out, 90);           /* RACE write */
    memcpy(other, out, N);
    if (!memcmp(in, other, 9)) /* RACE read */
        puts(in);              /* RACE read */
    fputs(in, stdout);         /* RACE read */
    fputs(out, stdout);
    printf("%d %s %g\n", 1, out, 2.0);
    printf("%ld %.1Lf %d%% %s\n", 1L, 1.0L, 3, in); /* RACE read */
    fprintf(stdout, "%*d%c%s\n", 3, 4, 'c', in);    /* RACE read */
    sprintf(out, "%d", rank);                       /* RACE write */
    snprintf(out, N, "%d", rank);                   /* RACE write */
    strcpy(out, "text");                            /* RACE write */
    strncpy(out, "text", N);                        /* RACE write */
    strcat(out, "text");                            /* RACE write */
    if (strlen(in) == 3) return 1;                  /* RACE read */
    if (!strcmp("text", in)) return 1;              /* RACE read */
    if (!strncmp(in, "text", 2)) return 1;          /* RACE read */
    qsort(out, 10, 1, by_value);                    /* RACE write */
    FILE *file = fopen("/dev/zero", "r");
    if (fread(in, 1, 10, file) != 10) return 1; /* RACE write */
    if (!fgets(out, 2, file)) return 1;         /* RACE write */
    fwrite(in, 1, 3, stdout);                   /* RACE read */
    fclose(file);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}
