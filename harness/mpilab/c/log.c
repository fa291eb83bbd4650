/* The strict log: what happened on this rank, one JSON object a line.
 *
 * Theory of operation.  The file is mapped shared and written as memory, so every line that was begun survives a crash, and a
 * line costs no system call.  It is read after the run (diagnosis/log.py), together with those of the other ranks: what can
 * only be seen by comparing ranks is found there.  It has a limit; beyond it, lines are dropped and the last line says so. */
#define _GNU_SOURCE
#include "strict.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LIMIT ((size_t)256 << 20)
#define LINE ((size_t)1 << 20) /* longer than any line */

const char *const mpilab_call_names[] = {
    "",
#define CALL(group, name, kind) "MPI_" #name,
#define CALLS(group, name, kind) "MPI_" #name, "MPI_" #name "_c",
#include "calls.def"
#undef CALL
#undef CALLS
};

const char *const mpilab_plain_names[] = {
    "", /* a large-count call is the same call to a reader */
#define CALL(group, name, kind) "MPI_" #name,
#define CALLS(group, name, kind) "MPI_" #name, "MPI_" #name,
#include "calls.def"
#undef CALL
#undef CALLS
};

static char *text;
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

long mpilab_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000000000 + t.tv_nsec;
}

int mpilab_log_is_open(void) { return text != NULL; }

/* Opens this rank's log in `folder`; an open one is closed first.  Returns 0 or -1. */
int mpilab_log_open(const char *folder, int rank) {
    char path[4096];
    if (text) munmap(text, LIMIT);
    text = NULL;
    used = 0;
    snprintf(path, sizeof path, "%s/strict-%d.jsonl", folder, rank);
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    char *start =
        ftruncate(fd, (off_t)LIMIT) ? MAP_FAILED : mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (start == MAP_FAILED) return -1;
    text = start;
    return 0;
}

void mpilab_log(const char *format, ...) {
    va_list values;
    if (!text) return;
    pthread_mutex_lock(&lock);
    if (used + LINE < LIMIT) {
        va_start(values, format);
        int length = vsnprintf(text + used, LINE, format, values);
        va_end(values);
        if (length > 0 && (size_t)length < LINE - 1) {
            used += (size_t)length;
            text[used++] = '\n';
        }
    } else if (used < LIMIT) {
        used += (size_t)sprintf(text + used, "{\"k\":\"full\"}\n");
        used = LIMIT;
    }
    pthread_mutex_unlock(&lock);
}

/* The inside of a JSON string that says `from`. */
const char *mpilab_json(const char *from, char *into, size_t size) {
    size_t length = 0;
    for (; *from && length + 8 < size; from++) {
        if ((unsigned char)*from < 32)
            length += (size_t)sprintf(into + length, "\\u%04x", *from);
        else if (*from == '"' || *from == '\\')
            length += (size_t)sprintf(into + length, "\\%c", *from);
        else
            into[length++] = *from;
    }
    into[length] = 0;
    return into;
}

void mpilab_finding(const char *kind, long number, const char *also, const char *format, ...) {
    char said[2000], quoted[4000], place[2000];
    va_list values;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
    mpilab_json(said, quoted, sizeof quoted);
    mpilab_json(also ? also : "", place, sizeof place);
    mpilab_log("{\"k\":\"finding\",\"kind\":\"%s\",\"n\":%ld,\"text\":\"%s\",\"also\":\"%s\"}", kind, number, quoted,
               place);
}

void mpilab_log_comm(int id, int size, const int *ranks, int inter) {
    char list[65536];
    size_t length = 0;
    if (!text) return;
    for (int i = 0; i < size && length + 16 < sizeof list; i++)
        length += (size_t)sprintf(list + length, "%s%d", i ? "," : "", ranks[i]);
    list[length] = 0;
    mpilab_log("{\"k\":\"comm\",\"comm\":%d,\"ranks\":[%s],\"inter\":%d}", id, list, inter);
}
