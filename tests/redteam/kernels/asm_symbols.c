/* expect: TAMPERED - makes a symbol of the harness in assembler */
__asm__(".globl mpilab_burst\nmpilab_burst: ret\n");
#include "reference.c"
