/* The PMPI library: sees every MPI call of a kernel, C or mpi4py.
 *
 * Theory of operation.  The library is preloaded into the engines (LD_PRELOAD), so its MPI_X stands before the MPI
 * library's.  Each wrapper publishes "this rank is in call X" on the control page, counts the call while a kernel is
 * running, and passes on to PMPI_X.  That is enough to judge the style of a conversion (require/forbid), and to say in
 * which call each rank of a hanging program stands.  The harness itself calls PMPI_X and so is never counted.
 *
 * A wrapper adds two stores and an increment to a call; both sides of every comparison pay it. */
#include "page.h"

#include <mpi.h>

_Static_assert(MPI_MAX_ERROR_STRING <= PAGE_TEXT, "an error text must fit the page");

static void enter(enum call_id id) {
    struct rank_page *page = mpilab_page;
    page->in_call = id;
    page->entered++;
    if (page->phase != PHASE_IDLE) page->calls[id]++;
}

/* The first error of a kernel is kept, also when the kernel ignores it. */
static void leave(enum call_id id, int result) {
    struct rank_page *page = mpilab_page;
    page->in_call = CALL_NONE;
    if (result && page->phase != PHASE_IDLE && !page->error_call) {
        int length = 0;
        PMPI_Error_string(result, page->error_text, &length);
        page->error_call = id;
    }
}

#define CALL(group, name, params, args)                                                                                \
    int MPI_##name params {                                                                                            \
        enter(CALL_##name);                                                                                            \
        int result = PMPI_##name args;                                                                                 \
        leave(CALL_##name, result);                                                                                    \
        return result;                                                                                                 \
    }
#include "calls.def"
#undef CALL

/* MPI_Abort ends every rank, so what it said must be on the page before. */
int MPI_Abort(MPI_Comm comm, int errorcode) {
    mpilab_page->abort_code = errorcode;
    mpilab_page->aborted = 1;
    return PMPI_Abort(comm, errorcode);
}
