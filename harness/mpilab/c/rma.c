/* One-sided communication in strict mode: accesses only inside an epoch, buffers untouched until it ends. */
#define _GNU_SOURCE
#include "strict.h"

void mpilab_rma(struct op *op) { (void)op; }
void mpilab_rma_after(struct op *op) { (void)op; }
