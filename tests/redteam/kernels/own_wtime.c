/* expect: TAMPERED - defines the clock that MPI programs ask */
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

double MPI_Wtime(void) { return 0.0; }
int kernel_run(struct kernel *k) { return honest_run(k); }
