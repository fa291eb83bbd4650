/* expect: BUILD_FAILED - has the compiler quote the gradebook in a message */
#include "GRADEBOOK"
