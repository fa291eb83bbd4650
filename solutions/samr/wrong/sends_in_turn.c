/* expect: WRONG_CALLS - sends the strips with MPI_Send, one after another */
/* An Isend that is waited for at once is a Send, so MPI_Send is written, and the receives are tested in the second
 * phase. It is right, and safe, for all receives are posted before; but the sends still wait, one after another,
 * for ranks that compute. */

enum { ROWS = 4, COLUMNS = 2, SIZE = 2, REGRID = 2, APART = 5 }; /* two columns for each rank; flames are five apart */
enum { UP, DOWN, LEFT, RIGHT, SIDES };                           /* face f is side f % SIDES of block f / SIDES */
enum { COARSE = (SIZE + 2) * (SIZE + 2), FINE = (2 * SIZE + 2) * (2 * SIZE + 2) }; /* cells, with a ring of ghosts */
enum { UNPACK, PACK };

struct block {
    int level, owner;
    double *cells; /* where it is or was this rank's: its cells of level 0, of level 1, the strips that come */
};

struct kernel {
    MPI_Comm comm;
    int rank, ranks, n, blocks, first, last; /* blocks first <= b < last are this rank's */
    struct kernel_shape shape;
    const double *in;
    double *out;
    struct block *mesh; /* every rank knows the level and the owner of all blocks */
};

int kernel_init(MPI_Comm comm, const struct kernel_shape *shape, const double *in, double *out, struct kernel **self) {
    struct kernel *k = *self = calloc(1, sizeof *k);
    if (!k) return MPI_ERR_NO_MEM;
    *k = (struct kernel){.comm = comm, .n = (int)shape->n, .shape = *shape, .in = in, .out = out};
    TRY(MPI_Comm_rank(comm, &k->rank));
    TRY(MPI_Comm_size(comm, &k->ranks));
    k->blocks = ROWS * COLUMNS * k->ranks;
    k->mesh = calloc((size_t)k->blocks, sizeof *k->mesh);
    return k->mesh ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Says which blocks are refined in a step, and whose each is: by where the middle of its work falls. */
static int deal(struct kernel *k, long step) {
    static const int cost[] = {5, 24};
    long total = 0, before = 0;
    for (int b = 0; b < k->blocks; b++)
        total += cost[k->mesh[b].level = (b + ROWS / 2) / ROWS % APART == step / REGRID % APART];
    k->first = k->last = 0;
    for (struct block *b = k->mesh; b < k->mesh + k->blocks; b++) {
        b->owner = (int)((2 * before + cost[b->level]) * k->ranks / (2 * total));
        before += cost[b->level];
        k->first += b->owner < k->rank;
        k->last += b->owner <= k->rank;
        if (b->owner != k->rank || b->cells) continue;
        b->cells = calloc(COARSE + FINE + 2 * SIDES * 2 * SIZE, sizeof(double) * (size_t)k->n);
        if (!b->cells) return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* Deals the blocks anew, and moves those that change hands. */
static int regrid(struct kernel *k, long step) {
    struct block was[k->blocks];
    MPI_Request moves[k->blocks];
    int count = 0;
    memcpy(was, k->mesh, sizeof was);
    TRY(deal(k, step));
    for (int b = 0; b < k->blocks; b++) {
        const int from = was[b].owner, to = k->mesh[b].owner, n = (COARSE + FINE) * k->n;
        if (from == to) continue;
        if (to == k->rank) TRY(MPI_Irecv(k->mesh[b].cells, n, MPI_DOUBLE, from, b, k->comm, &moves[count++]));
        if (from == k->rank) TRY(MPI_Isend(k->mesh[b].cells, n, MPI_DOUBLE, to, b, k->comm, &moves[count++]));
    }
    return MPI_Waitall(count, moves, MPI_STATUSES_IGNORE);
}

/* Cell (i, j) of a block at a level, all its layers; its own cells count from 1. */
static double *cell(const struct kernel *k, const struct block *b, int level, int i, int j) {
    return b->cells + (level * COARSE + i * ((SIZE << level) + 2) + j) * k->n;
}

/* Makes a block's cells of the other level agree with those of this one. */
static void agree(const struct kernel *k, const struct block *b, int level) {
    const int n = k->n;
    for (int c = 0; c < SIZE * SIZE; c++) {
        double *coarse = cell(k, b, 0, 1 + c / SIZE, 1 + c % SIZE);
        double *up = cell(k, b, 1, 1 + c / SIZE * 2, 1 + c % SIZE * 2), *down = up + (2 * SIZE + 2) * n;
        for (int z = 0; z < n; z++)
            if (level)
                coarse[z] = 0.25 * (up[z] + up[z + n] + down[z] + down[z + n]);
            else
                up[z] = up[z + n] = down[z] = down[z + n] = coarse[z];
    }
}

static void burn(const struct kernel *k, const struct block *b) {
    double *u = cell(k, b, b->level, 0, 0);
    for (int z = 0; z < (b->level ? FINE : COARSE) * k->n; z++) u[z] += 0.125 * u[z] * (1 - u[z]);
    agree(k, b, b->level);
    kernel_work(k->shape.work * (b->level ? 20 : 4));
}

static void carry(const struct kernel *k, const struct block *b) {
    const int size = SIZE << b->level, n = k->n, row = (size + 2) * n;
    const double c = b->level ? 0.1 : 0.05;
    double *u = cell(k, b, b->level, 0, 0), new[FINE * n];
    for (int i = 1; i <= size; i++)
        for (int z = i * row + n; z < (i + 1) * row - n; z++) {
            const double up = u[z - row], down = u[z + row], left = u[z - n], right = u[z + n];
            new[z] = 0.25 * (up + down + left + right) - c * (down * down - up * up + (right * right - left * left));
        }
    for (int i = 1; i <= size; i++) memcpy(u + i * row + n, new + i * row + n, sizeof(double) * size * n);
    agree(k, b, b->level);
}

/* The face that lies on face f.  Below the last block of a column is the first of the next: the mesh is a screw. */
static int facing(const struct kernel *k, int f) {
    static const int away[] = {-1, 1, -ROWS, ROWS};
    return (f / SIDES + away[f % SIDES] + k->blocks) % k->blocks * SIDES + (f % SIDES ^ 1);
}

/* The strip that comes to face f, and its length. */
static double *ghosts(const struct kernel *k, int f) {
    return k->mesh[f / SIDES].cells + (COARSE + FINE + f % SIDES * 2 * SIZE) * k->n;
}
static int length(const struct kernel *k, int f) { return (SIZE << k->mesh[f / SIDES].level) * k->n; }

/* Packs the cells of a level along face f into a strip, or unpacks a strip into the ghosts there. */
static void copy(const struct kernel *k, int pack, int f, int level, double *strip) {
    const int edge = f % 2 ? (SIZE << level) + 1 - pack : pack, flat = f % SIDES < LEFT;
    for (int i = 1; i <= SIZE << level; i++, strip += k->n) {
        double *along = cell(k, &k->mesh[f / SIDES], level, flat ? edge : i, flat ? i : edge);
        memcpy(pack ? strip : along, pack ? along : strip, sizeof(double) * (size_t)k->n);
    }
}

static int step(struct kernel *k) {
    const int begin = k->first * SIDES, end = k->last * SIDES;
    MPI_Request requests[end - begin];
    int count = 0;
    for (int f = begin; f < end; f++) {
        const int from = k->mesh[facing(k, f) / SIDES].owner;
        if (from == k->rank) continue;
        TRY(MPI_Irecv(ghosts(k, f), length(k, f), MPI_DOUBLE, from, f, k->comm, &requests[count++]));
    }
    int receives = count, all;
    for (int b = k->first; b < k->last; b++) burn(k, &k->mesh[b]);

    for (int f = begin; f < end; f++) {
        const int there = facing(k, f), to = k->mesh[there / SIDES].owner;
        double *strip = to == k->rank ? ghosts(k, there) : ghosts(k, f) + SIDES * 2 * SIZE * k->n;
        copy(k, PACK, f, k->mesh[there / SIDES].level, strip);
        if (to == k->rank) continue;
        TRY(MPI_Send(strip, length(k, there), MPI_DOUBLE, to, there, k->comm));
    }
    for (int b = k->first; b < k->last; b++) {
        kernel_work(k->shape.work * (k->mesh[b].level ? 4 : 1));
        TRY(MPI_Testall(receives, requests, &all, MPI_STATUSES_IGNORE));
    }
    TRY(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));

    for (int f = begin; f < end; f++) copy(k, UNPACK, f, k->mesh[f / SIDES].level, ghosts(k, f));
    for (int b = k->first; b < k->last; b++) carry(k, &k->mesh[b]);
    return MPI_SUCCESS;
}

int kernel_run(struct kernel *k) {
    const long row = SIZE * k->n, block = SIZE * row;
    const double *in = k->in;
    double *out = k->out;
    TRY(deal(k, 0));
    for (int b = k->first; b < k->last; b++, in += block) {
        for (int i = 0; i < SIZE; i++) memcpy(cell(k, &k->mesh[b], 0, i + 1, 1), in + i * row, sizeof(double) * row);
        agree(k, &k->mesh[b], 0);
    }
    for (long i = 0; i < k->shape.steps; i++) {
        if (i > 0 && i % REGRID == 0) TRY(regrid(k, i));
        TRY(step(k));
    }
    for (int b = k->first; b < k->last; b++, out += block)
        for (int i = 0; i < SIZE; i++) memcpy(out + i * row, cell(k, &k->mesh[b], 0, i + 1, 1), sizeof(double) * row);
    return MPI_SUCCESS;
}

int kernel_free(struct kernel **self) {
    for (int b = 0; b < (*self)->blocks; b++) free((*self)->mesh[b].cells);
    free((*self)->mesh);
    free(*self);
    *self = NULL;
    return MPI_SUCCESS;
}
