/* Named regions of a program, for `mpilab trace`: they show in the timeline, and tables can be grouped by them.
 *
 *     mpilab_region_begin("exchange");
 *     ...
 *     mpilab_region_end();
 *
 * Regions nest.  What does it is in the library that mpilab loads before the program, and is looked up at the first call;
 * without it nothing happens, so a program with regions runs anywhere.  `mpilab include` prints this file's folder, for
 * mpicc -I; where mpilab builds the program itself, and for kernels of labs, that is not needed. */
#ifndef MPILAB_H
#define MPILAB_H

#include <dlfcn.h>
#include <stddef.h>

static inline void mpilab_region_begin(const char *name) {
    static int looked;
    static void (*begin)(const char *);
    if (!looked) *(void **)&begin = dlsym(NULL, "mpilab_region_begin"); /* NULL: all that is loaded */
    looked = 1;
    if (begin) begin(name);
}

static inline void mpilab_region_end(void) {
    static int looked;
    static void (*end)(void);
    if (!looked) *(void **)&end = dlsym(NULL, "mpilab_region_end");
    looked = 1;
    if (end) end();
}

#endif
