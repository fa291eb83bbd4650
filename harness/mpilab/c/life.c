/* Preloaded into every process below a runner: none outlives it.
 *
 * Theory of operation.  Each process asks the system to kill it when its parent dies (PR_SET_PDEATHSIG): mpiexec dies with
 * the runner, the proxy with mpiexec, the engines with the proxy.  A fork drops that wish, so the child makes it again. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

static void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

__attribute__((constructor)) static void begin(void) {
    die_with_parent();
    pthread_atfork(NULL, NULL, die_with_parent);
}
