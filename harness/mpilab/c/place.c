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

/* Python's functions; NULL where there is no Python, or no longer. */
const struct python *mpilab_python(void) {
    static struct python python;
    static int looked;
    if (!looked) {
#define LOOK_UP(field, name) *(void **)&python.field = dlsym(RTLD_DEFAULT, name)
        LOOK_UP(alive, "Py_IsInitialized");
        LOOK_UP(ensure, "PyGILState_Ensure");
        LOOK_UP(release, "PyGILState_Release");
        LOOK_UP(frame, "PyEval_GetFrame");
        LOOK_UP(code, "PyFrame_GetCode");
        LOOK_UP(back, "PyFrame_GetBack");
        LOOK_UP(line, "PyFrame_GetLineNumber");
        LOOK_UP(attribute, "PyObject_GetAttrString");
        LOOK_UP(utf8, "PyUnicode_AsUTF8");
        LOOK_UP(forget, "Py_DecRef");
        LOOK_UP(set_trace, "PyEval_SetTrace");
        LOOK_UP(import, "PyImport_ImportModule");
        LOOK_UP(system, "PySys_GetObject");
        LOOK_UP(call, "PyObject_CallFunctionObjArgs");
        LOOK_UP(clear, "PyErr_Clear");
        LOOK_UP(none, "_Py_NoneStruct"); /* the last field: the others come before it */
#undef LOOK_UP
        looked = 1;
    }
    void *const *fields = (void *const *)&python;
    for (size_t i = 0; i < sizeof python / sizeof *fields; i++)
        if (!fields[i]) return NULL;
    return python.alive() ? &python : NULL;
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
            places[k].text = text == address ? text : strdup(text);
        }
        if (!places[k].text) break;
        if (places[k].address == address && places[k].line == line) found = places[k].text;
    }
    pthread_mutex_unlock(&lock);
    return found ? found : "";
}

int mpilab_python_own(void *frame) {
    const struct python *python = mpilab_python();
    void *code = python->code(frame), *file = python->attribute(code, "co_filename");
    const char *name = file ? python->utf8(file) : NULL;
    int own = name && !strstr(name, "/lib/python3") && !strstr(name, "/site-packages/") && strncmp(name, "<frozen", 7);
    if (file) python->forget(file);
    python->forget(code);
    return own;
}

/* "script.py:12" for line `line` of `frame`; when that is in a library, for the line of the program that led there. */
const char *mpilab_python_line(void *frame, int line) {
    const struct python *python = mpilab_python();
    char text[4096] = "";
    void *held = NULL; /* the frame looked at, but for the first */
    for (void *at = frame; python && at;) {
        void *code = python->code(at), *file = python->attribute(code, "co_filename");
        const char *name = file ? python->utf8(file) : NULL;
        int other = !mpilab_python_own(at);
        if (name && (!other || !text[0])) snprintf(text, sizeof text, "%s:%d", name, line);
        if (file) python->forget(file);
        python->forget(code);
        void *next = other ? python->back(at) : NULL;
        if (held) python->forget(held);
        at = held = next;
        if (at) line = python->line(at);
    }
    uintptr_t key = 5381; /* no address: its highest bit is set */
    for (const char *c = text; *c; c++) key = key * 33 + (unsigned char)*c;
    return text[0] ? kept((const void *)(key | (uintptr_t)1 << 63), line, text) : "";
}

static const char *python_place(void) {
    const struct python *python = mpilab_python();
    int state = python->ensure();
    void *frame = python->frame();
    const char *text = mpilab_python_line(frame, frame ? python->line(frame) : 0);
    python->release(state);
    return text;
}

static int in_mpi4py(const void *address) {
    Dl_info info;
    return address && dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "/mpi4py/") && mpilab_python();
}

const void *mpilab_site(const void *address) {
    if (!in_mpi4py(address)) return address;
    const char *text = python_place();
    if (!text[0]) return address;
    return kept(text, 0, text);
}

const char *mpilab_place(const void *address) {
    Dl_info info;
    const char *known = kept(address, 0, NULL);
    char text[4096];
    if (known[0]) return known;
    if (!address || !dladdr(address, &info) || !info.dli_fname) return "";
    if (in_mpi4py(address)) return python_place();
    char *whole = realpath(info.dli_fname, NULL); /* argv[0] may be relative */
    snprintf(text, sizeof text, "%s+0x%lx", whole ? whole : info.dli_fname,
             (unsigned long)((const char *)address - (const char *)info.dli_fbase - 1));
    free(whole);
    return kept(address, 0, text);
}
