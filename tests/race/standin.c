/* A PMPI library for the tests of the race detector: enough calls to put buffers in flight, and reports as text.
 *
 * One line of stderr a report: RACE touch module offset, where offset is that of the touching instruction in module. */
#define _GNU_SOURCE
#include <flight.h>

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#define HERE __builtin_return_address(0)
#define OPERATIONS 4096

static struct operation {
    MPI_Request request;
    struct flight_block block;
    int active, persistent, write;
    const void *site;
} operations[OPERATIONS]; /* the index is the number of the operation */

static _Thread_local int in_mpi; /* MPI may call code of the program: its reductions */

int mpilab_race_found(const void *address, size_t bytes, enum flight_touch touch, const void *pc,
                      const struct flight_area *area) {
    static const char *const touches[] = {"read", "write", "free", "return"};
    Dl_info info;
    if (in_mpi || !dladdr(pc, &info)) return 0;
    fprintf(stderr, "RACE %s %s 0x%zx %zu %s\n", touches[touch], info.dli_fname,
            (size_t)((const char *)pc - 1 - (const char *)info.dli_fbase), bytes,
            (uintptr_t)address < area->high && area->site ? "ok" : "odd");
    return 1;
}

/* A number of elements of a basic type, or one vector of them. */
static struct flight_block block_of(const void *base, int count, MPI_Datatype type) {
    int integers, addresses, types, combiner, of[3], size;
    MPI_Datatype element;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_VECTOR) {
        PMPI_Type_size(type, &size);
        return (struct flight_block){base, (size_t)count * (size_t)size, 0, 0};
    }
    PMPI_Type_get_contents(type, integers, addresses, types, of, NULL, &element);
    PMPI_Type_size(element, &size);
    size_t block = (size_t)of[1] * (size_t)size, stride = (size_t)of[2] * (size_t)size;
    return (struct flight_block){base, (size_t)(of[0] - 1) * stride + block, block, stride};
}

static void take_off(int op) {
    struct operation *o = &operations[op];
    mpilab_flight_add(&o->block, 1, o->write, op, o->site);
    o->active = 1;
}

static void post(MPI_Request request, struct flight_block block, int write, int persistent, const void *site) {
    for (int op = 0; op < OPERATIONS; op++) {
        if (operations[op].site) continue;
        operations[op] = (struct operation){request, block, 0, persistent, write, site};
        if (!persistent) take_off(op);
        return;
    }
}

static void start(MPI_Request request) {
    for (int op = 0; op < OPERATIONS; op++)
        if (operations[op].site && operations[op].request == request) take_off(op);
}

static void land(MPI_Request request) {
    for (int op = 0; op < OPERATIONS; op++) {
        struct operation *o = &operations[op];
        if (!o->active || o->request != request) continue;
        mpilab_flight_remove(op);
        o->active = 0;
        if (!o->persistent) o->site = NULL;
    }
}

int MPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Isend(buf, n, type, to, tag, comm, request);
    post(*request, block_of(buf, n, type), 0, 0, HERE);
    return result;
}

int MPI_Irecv(void *buf, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Irecv(buf, n, type, from, tag, comm, request);
    post(*request, block_of(buf, n, type), 1, 0, HERE);
    return result;
}

int MPI_Iallreduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
    in_mpi++;
    int result = PMPI_Iallreduce(send, recv, n, type, op, comm, request);
    in_mpi--;
    post(*request, block_of(send, n, type), 0, 0, HERE);
    post(*request, block_of(recv, n, type), 1, 0, HERE);
    return result;
}

int MPI_Send_init(const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Send_init(buf, n, type, to, tag, comm, request);
    post(*request, block_of(buf, n, type), 0, 1, HERE);
    return result;
}

int MPI_Recv_init(void *buf, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    int result = PMPI_Recv_init(buf, n, type, from, tag, comm, request);
    post(*request, block_of(buf, n, type), 1, 1, HERE);
    return result;
}

int MPI_Start(MPI_Request *request) {
    start(*request);
    return PMPI_Start(request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    MPI_Request before = *request;
    in_mpi++;
    int result = PMPI_Wait(request, status);
    in_mpi--;
    land(before);
    return result;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
    (void)statuses;
    int result = MPI_SUCCESS;
    for (int i = 0; i < n; i++) result |= MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return result;
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status) {
    MPI_Request before[OPERATIONS];
    for (int i = 0; i < n; i++) before[i] = requests[i];
    int result = PMPI_Waitany(n, requests, index, status);
    if (*index >= 0) land(before[*index]);
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    MPI_Request before = *request;
    int result = PMPI_Test(request, flag, status);
    if (*flag) land(before);
    return result;
}

int MPI_Request_free(MPI_Request *request) {
    for (int op = 0; op < OPERATIONS; op++)
        if (operations[op].site && operations[op].request == *request) {
            mpilab_flight_remove(op);
            operations[op].site = NULL;
        }
    return PMPI_Request_free(request);
}
