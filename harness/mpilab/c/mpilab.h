/* Named regions of a program, for `mpilab trace`: they show in the timeline, and tables can be grouped by them.
 *
 *     mpilab_region_begin("exchange");
 *     ...
 *     mpilab_region_end();
 *
 * Regions nest.  The functions are in the library that mpilab loads before the program; without it the calls do nothing, so
 * a program with them runs anywhere.  `mpilab include` prints this file's folder, for mpicc -I. */
#ifndef MPILAB_H
#define MPILAB_H

#ifdef __cplusplus
extern "C" {
#endif
extern void mpilab_region_begin(const char *name) __attribute__((weak));
extern void mpilab_region_end(void) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#define mpilab_region_begin(name) (mpilab_region_begin ? mpilab_region_begin(name) : (void)0)
#define mpilab_region_end() (mpilab_region_end ? mpilab_region_end() : (void)0)

#endif
