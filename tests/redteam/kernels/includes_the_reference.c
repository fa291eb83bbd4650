/* expect: BUILD_FAILED - includes the reference by its path */
#include "COURSE/solutions/ring/reference.c"
