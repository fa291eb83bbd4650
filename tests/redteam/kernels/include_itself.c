/* expect: BUILD_FAILED - includes itself without end */
#include __FILE__
