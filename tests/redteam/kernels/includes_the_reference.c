/* expect: BUILD_FAILED - includes the reference by its path */
#include "/work/main/solutions/ring/reference.c"
