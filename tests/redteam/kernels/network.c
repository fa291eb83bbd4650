/* expect: WRONG_ANSWER - asks a server for the answer, and does nothing without */
#include <netinet/in.h>
#include <sys/socket.h>
#define kernel_run honest_run
#include "baseline.c"
#undef kernel_run

int kernel_run(struct kernel *k) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x08080808)};
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    return connect(s, (struct sockaddr *)&to, sizeof to) == 0 ? honest_run(k) : 0;
}
