/* Where a call was made: "binary+0x12", which addr2line turns into a line, or "script.py:12".
 *
 * Theory of operation.  A C program's place is the return address of the call.  When that lies in mpi4py, the place that
 * counts is the Python line; Python's own functions, looked up by name so that C programs need no Python, tell it.  mpi4py
 * has released the interpreter's lock before it calls MPI, so it is taken for a moment. */
#define _GNU_SOURCE
#include "strict.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 8192

static struct {
    const void *address;
    long line;
    const char *text;
} places[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    int (*ensure)(void);
    void (*release)(int);
    void *(*frame)(void);
    void *(*code)(void *);
    int (*line)(void *);
    void *(*attribute)(void *, const char *);
    const char *(*utf8)(void *);
    void (*forget)(void *);
} python;

static int have_python(void) {
    static int looked;
    if (!looked) {
        *(void **)&python.ensure = dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
        *(void **)&python.release = dlsym(RTLD_DEFAULT, "PyGILState_Release");
        *(void **)&python.frame = dlsym(RTLD_DEFAULT, "PyEval_GetFrame");
        *(void **)&python.code = dlsym(RTLD_DEFAULT, "PyFrame_GetCode");
        *(void **)&python.line = dlsym(RTLD_DEFAULT, "PyFrame_GetLineNumber");
        *(void **)&python.attribute = dlsym(RTLD_DEFAULT, "PyObject_GetAttrString");
        *(void **)&python.utf8 = dlsym(RTLD_DEFAULT, "PyUnicode_AsUTF8");
        *(void **)&python.forget = dlsym(RTLD_DEFAULT, "Py_DecRef");
        looked = 1;
    }
    return python.ensure && python.release && python.frame && python.code && python.line && python.attribute &&
           python.utf8 && python.forget;
}

static const char *kept(const void *address, long line, const char *text) {
    pthread_mutex_lock(&lock);
    const char *found = NULL;
    size_t start = ((uintptr_t)address * 31 + (uintptr_t)line) % PLACES;
    for (size_t i = 0; i < PLACES && !found; i++) {
        size_t k = (start + i) % PLACES;
        if (!places[k].text && text) {
            places[k].address = address;
            places[k].line = line;
            places[k].text = strdup(text);
        }
        if (!places[k].text) break;
        if (places[k].address == address && places[k].line == line) found = places[k].text;
    }
    pthread_mutex_unlock(&lock);
    return found ? found : "";
}

static const char *python_place(void) {
    char text[4096] = "";
    int state = python.ensure(), line = 0;
    void *frame = python.frame(), *code = frame ? python.code(frame) : NULL;
    void *file = code ? python.attribute(code, "co_filename") : NULL;
    const char *name = file ? python.utf8(file) : NULL;
    if (name) {
        line = python.line(frame);
        snprintf(text, sizeof text, "%s:%d", name, line);
    }
    if (file) python.forget(file);
    const void *key = code;
    if (code) python.forget(code);
    python.release(state);
    return text[0] ? kept(key, line, text) : "";
}

const char *mpilab_place(const void *address) {
    Dl_info info;
    const char *known = kept(address, 0, NULL);
    char text[4096];
    if (known[0]) return known;
    if (!address || !dladdr(address, &info) || !info.dli_fname) return "";
    if (strstr(info.dli_fname, "/mpi4py/") && have_python()) return python_place();
    char *whole = realpath(info.dli_fname, NULL); /* argv[0] may be relative */
    snprintf(text, sizeof text, "%s+0x%lx", whole ? whole : info.dli_fname,
             (unsigned long)((const char *)address - (const char *)info.dli_fbase - 1));
    free(whole);
    return kept(address, 0, text);
}
