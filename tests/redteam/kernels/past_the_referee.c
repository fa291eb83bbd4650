/* expect: TAMPERED - calls PMPI past the library that counts */
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) { PMPI_Barrier(k->comm); return honest_run(k); }
