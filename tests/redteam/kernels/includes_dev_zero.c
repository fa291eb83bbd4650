/* expect: BUILD_FAILED - has the compiler read without end */
#include "/dev/zero"
