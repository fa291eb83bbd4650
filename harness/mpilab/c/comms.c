/* Communicators: a number for each that is the same on all its ranks, and who is in it.
 *
 * Theory of operation.  A handle means nothing to another rank, so traces and logs need a number that all ranks give the same
 * communicator.  It follows, without a message, from what all of them know: the parent's number, how many collectives the
 * parent has seen, and the members.  Who watches reads members from the control page, so a rank's peer can be named by its
 * rank in MPI_COMM_WORLD.  Strict mode keeps a duplicate (the shadow) for its own messages. */
#include "strict.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN 4096
#define WINDOWS (1 << 30) /* ids of windows begin here */

static struct known {
    MPI_Comm comm;
    int id, index, used, size, inter;
    int *ranks;
    MPI_Comm shadow;
} known[KNOWN]; /* open addressing would not survive removals; programs have few, and the last one is cached */
static int known_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__thread struct comm_cache mpilab_comm_cache = {MPI_COMM_NULL, -1};

void mpilab_meta_comm(int id, int size, const int *ranks, int inter); /* record.c, log.c: tell the files */

static struct known *find(MPI_Comm comm) {
    for (int i = known_count; i-- > 0;)
        if (known[i].used && known[i].comm == comm) return &known[i];
    return NULL;
}

int mpilab_comm_index(MPI_Comm comm) {
    int index = -1;
    if (comm == MPI_COMM_NULL || mpilab_page->life != LIFE_MPI) return -1;
    pthread_mutex_lock(&lock);
    struct known *found = find(comm);
    if (found) index = found->index;
    pthread_mutex_unlock(&lock);
    if (found) mpilab_comm_cache = (struct comm_cache){comm, index};
    return index;
}

int mpilab_comm_id(MPI_Comm comm) {
    struct known *found = find(comm);
    return found ? found->id : 0;
}

MPI_Comm mpilab_comm_shadow(MPI_Comm comm) {
    struct known *found = find(comm);
    return found ? found->shadow : MPI_COMM_NULL;
}

/* A place on the page: a free one that is large enough, or a new one; -1 when there is no room. */
static int page_place(int size) {
    struct rank_page *page = mpilab_page;
    for (int i = 0; i < page->comm_count; i++)
        if (!page->comms[i].id && page->comms[i].size >= size) return i;
    if (page->comm_count == PAGE_COMMS || page->member_count + size > PAGE_MEMBERS) return -1;
    page->comms[page->comm_count] = (struct shown_comm){.first = page->member_count};
    page->member_count += size;
    return page->comm_count++;
}

static void remember(MPI_Comm comm, int id, int size, const int *ranks, int inter) {
    pthread_mutex_lock(&lock);
    struct known *place = NULL;
    for (int i = 0; i < known_count && !place; i++)
        if (!known[i].used) place = &known[i];
    if (!place && known_count < KNOWN) place = &known[known_count++];
    int index = page_place(size);
    if (index >= 0) {
        struct shown_comm *shown = &mpilab_page->comms[index];
        memcpy(&mpilab_page->members[shown->first], ranks, sizeof *ranks * (size_t)size);
        shown->size = size;
        shown->turns = 0;
        shown->id = id;
    }
    if (place) {
        *place =
            (struct known){comm, id, index, 1, size, inter, malloc(sizeof *ranks * (size_t)(size + 1)), MPI_COMM_NULL};
        memcpy(place->ranks, ranks, sizeof *ranks * (size_t)size);
    }
    pthread_mutex_unlock(&lock);
    mpilab_meta_comm(id, size, ranks, inter);
}

/* The world ranks of `group`, in its order; the caller frees them. */
static int *world_ranks(MPI_Group group, int *size) {
    MPI_Group world;
    PMPI_Group_size(group, size);
    int *own = malloc(sizeof *own * (size_t)(*size + 1)), *ranks = malloc(sizeof *ranks * (size_t)(*size + 1));
    for (int i = 0; i < *size; i++) own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, *size, own, world, ranks);
    PMPI_Group_free(&world);
    free(own);
    return ranks;
}

static uint32_t mixed(uint32_t hash, uint32_t value) { return (hash ^ value) * 16777619u + 1; }

static uint32_t mixed_all(uint32_t hash, const int *values, int count) {
    uint32_t sum = 0; /* without order: both sides of an intercommunicator must agree */
    for (int i = 0; i < count; i++) sum += mixed(2166136261u, (uint32_t)values[i]);
    return mixed(hash, sum);
}

/* How often communicators with these members have been made without all of a parent: the n-th, everywhere the same. */
static uint32_t parentless(uint32_t members) {
    static struct {
        uint32_t members, count;
    } seen[256];
    for (int i = 0; i < 256; i++) {
        if (seen[i].count && seen[i].members != members) continue;
        seen[i].members = members;
        return ++seen[i].count;
    }
    return 0;
}

void mpilab_comm_new(MPI_Comm parent, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL || mpilab_page->life != LIFE_MPI) return;
    int inter = 0, size, remote_size = 0, *remote = NULL;
    MPI_Group group, remote_group;
    struct known *from = find(parent);
    int call = mpilab_page->threads[mpilab_thread].in_call;
    int idup = from && (call == CALL_Comm_idup || call == CALL_Comm_idup_with_info);
    if (idup) {
        PMPI_Comm_group(parent, &group); /* the new one may not be used yet */
    } else {
        PMPI_Comm_test_inter(comm, &inter);
        PMPI_Comm_group(comm, &group);
    }
    int *ranks = world_ranks(group, &size);
    PMPI_Group_free(&group);
    if (inter) {
        PMPI_Comm_remote_group(comm, &remote_group);
        remote = world_ranks(remote_group, &remote_size);
        PMPI_Group_free(&remote_group);
    }
    uint32_t hash = mixed_all(2166136261u, ranks, size) + mixed_all(2166136261u, remote, remote_size);
    if (from && from->index >= 0 && !inter) {
        hash = mixed(hash, (uint32_t)from->id);
        hash = mixed(hash, (uint32_t)mpilab_page->comms[from->index].turns);
    } else {
        hash = mixed(hash, parentless(hash));
    }
    int id = (int)(hash & 0x3fffffff) | 0x1000; /* never that of the world or of a rank's own */
    if (inter)
        remember(comm, id, remote_size, remote, 1); /* peers are ranks of the other side */
    else
        remember(comm, id, size, ranks, 0);
    free(ranks);
    free(remote);
    if (mpilab_page->mode == MODE_STRICT && !inter && !idup) mpilab_comm_shadow_new(comm);
}

void mpilab_window_new(MPI_Comm parent, MPI_Win win) {
    struct known *from = find(parent), *made;
    if (!from || from->index < 0 || from->inter) return;
    uint32_t hash = mixed(mixed(2166136261u, (uint32_t)from->id), (uint32_t)mpilab_page->comms[from->index].turns);
    remember((MPI_Comm)win, WINDOWS | (int)(hash & 0x3fffffff), from->size, from->ranks, 0);
    made = find((MPI_Comm)win);
    if (mpilab_page->mode != MODE_STRICT || !made || from->shadow == MPI_COMM_NULL) return;
    PMPI_Comm_dup(from->shadow, &made->shadow); /* the window may outlive its communicator */
    PMPI_Comm_set_errhandler(made->shadow, MPI_ERRORS_RETURN);
    mpilab_window_made(win, made->shadow);
}

/* Makes the duplicate that strict mode uses for its own messages; collective over `comm`. */
void mpilab_comm_shadow_new(MPI_Comm comm) {
    struct known *found = find(comm);
    int inter = 1;
    if (!found || found->shadow != MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) || inter) return;
    PMPI_Comm_dup(comm, &found->shadow);
    PMPI_Comm_set_errhandler(found->shadow, MPI_ERRORS_RETURN);
}

void mpilab_comm_shadow_gone(MPI_Comm comm) {
    struct known *found = find(comm);
    if (found && found->shadow != MPI_COMM_NULL) PMPI_Comm_free(&found->shadow);
}

void mpilab_comm_gone(MPI_Comm comm) {
    pthread_mutex_lock(&lock);
    struct known *found = find(comm);
    if (found && found->shadow != MPI_COMM_NULL) PMPI_Comm_free(&found->shadow);
    if (found) {
        found->used = 0;
        free(found->ranks);
        if (found->index >= 0) mpilab_page->comms[found->index].id = 0;
    }
    pthread_mutex_unlock(&lock);
    mpilab_comm_cache = (struct comm_cache){MPI_COMM_NULL, -1};
}

int mpilab_comm_peers(MPI_Comm comm) {
    int size = 1, inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

/* Tells the files of all communicators that there are. */
void mpilab_comms_log(void) {
    for (int i = 0; i < known_count; i++)
        if (known[i].used) mpilab_meta_comm(known[i].id, known[i].size, known[i].ranks, known[i].inter);
}

/* MPI_COMM_WORLD and MPI_COMM_SELF, once MPI is there. */
void mpilab_comms_begin(void) {
    int rank, size;
    mpilab_page->any_source = MPI_ANY_SOURCE;
    mpilab_page->proc_null = MPI_PROC_NULL;
    mpilab_page->any_tag = MPI_ANY_TAG;
    if (find(MPI_COMM_WORLD)) return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    int *ranks = malloc(sizeof *ranks * (size_t)size);
    for (int i = 0; i < size; i++) ranks[i] = i;
    remember(MPI_COMM_WORLD, 1, size, ranks, 0);
    remember(MPI_COMM_SELF, 1000000 + rank, 1, &rank, 0);
    free(ranks);
}
