/* Communicators, datatypes, groups and the like: what is made and never freed. */
#define _GNU_SOURCE
#include "strict.h"

#include <stdlib.h>
#include <string.h>

static struct object {
    int kind; /* as the KIND_NEW_... that made it; 0: free place */
    uint64_t handle;
    enum call_id call;
    long number;
    struct object *next;
} *objects;

static const char *const names[] = {
    [KIND_NEW_COMM] = "communicator", [KIND_NEW_TYPE] = "datatype", [KIND_NEW_GROUP] = "group",
    [KIND_NEW_OP] = "operation",      [KIND_NEW_INFO] = "info",     [KIND_NEW_ERRHANDLER] = "error handler",
    [KIND_NEW_WIN] = "window",        [KIND_NEW_FILE] = "file",
};

static uint64_t handle_at(const void *place, int kind) {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_File file;
    switch (kind) {
    case KIND_NEW_FILE:
        memcpy(&file, place, sizeof file);
        return (uint64_t)(uintptr_t)file;
    case KIND_NEW_TYPE:
        memcpy(&type, place, sizeof type);
        return (uint64_t)(uintptr_t)type;
    default:
        memcpy(&comm, place, sizeof comm);
        return (uint64_t)(uintptr_t)comm; /* all handles but files' are alike */
    }
}

static int is_nothing(const struct op *op, uint64_t handle) {
    switch (op->kind) {
    case KIND_NEW_COMM:
        return handle == (uint64_t)(uintptr_t)MPI_COMM_NULL;
    case KIND_NEW_GROUP:
        return handle == (uint64_t)(uintptr_t)MPI_GROUP_EMPTY || handle == (uint64_t)(uintptr_t)MPI_GROUP_NULL;
    default:
        return 0;
    }
}

#define GONE 256

static struct {
    int kind;
    uint64_t handle;
    long by;
} gone_objects[GONE]; /* the last ones freed, whose handles no new object has got */
static unsigned gone_count;

/* The call that freed the object of this handle; 0 when it lives, or never was. */
long mpilab_object_freed(int kind, uint64_t handle) {
    for (int i = 0; i < GONE; i++)
        if (gone_objects[i].by && gone_objects[i].kind == kind && gone_objects[i].handle == handle)
            return gone_objects[i].by;
    return 0;
}

/* A new kernel begins: handles that an earlier one freed may be anything's now. */
void mpilab_objects_begin(void) { memset(gone_objects, 0, sizeof gone_objects); }

void mpilab_object_new(const struct op *op) {
    if (!op->object) return;
    uint64_t handle = handle_at(op->object, op->kind);
    if (is_nothing(op, handle)) return;
    for (int i = 0; i < GONE; i++)
        if (gone_objects[i].kind == (int)op->kind && gone_objects[i].handle == handle) gone_objects[i].by = 0;
    struct object *o = malloc(sizeof *o);
    mpilab_lock();
    *o = (struct object){op->kind, handle, op->call, op->number, objects};
    objects = o;
    mpilab_unlock();
}

void mpilab_object_free(const struct op *op) {
    int kind = op->kind - KIND_FREE_COMM + KIND_NEW_COMM;
    if (!op->object) return;
    uint64_t handle = handle_at(op->object, kind);
    mpilab_lock();
    for (struct object **o = &objects; *o; o = &(*o)->next) {
        if ((*o)->kind != kind || (*o)->handle != handle) continue;
        struct object *gone = *o;
        unsigned k = gone_count++ % GONE;
        gone_objects[k].kind = kind, gone_objects[k].handle = handle, gone_objects[k].by = op->number;
        *o = gone->next;
        free(gone);
        break;
    }
    mpilab_unlock();
}

void mpilab_objects_left(void) {
    while (objects) {
        struct object *o = objects;
        mpilab_finding("resource-leak", o->number, NULL, "the %s that %s makes is never freed", names[o->kind],
                       mpilab_plain_names[o->call]);
        objects = o->next;
        free(o);
    }
}
