/* expect: BUILD_FAILED - puts a file of the grader into the library */
__asm__(".data\nsecret: .incbin \"/etc/passwd\"\n");
#include "baseline.c"
