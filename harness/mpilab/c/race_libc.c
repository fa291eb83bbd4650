/* The functions of the C library that may touch a buffer in flight: memcpy, printf("%s"), fread, free...
 *
 * Theory of operation.  The linker turns a program's calls of X into calls of __wrap_X, for each X below (--wrap=X), and
 * the compiler is told not to put code of its own in their place (-fno-builtin-X).  A wrapper looks at the bytes that X
 * is about to touch, and passes on to __real_X, which is X.  MPI's own calls are not the program's: they go past. */
#define _GNU_SOURCE
#include "race.h"

#include <malloc.h>
#include <printf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS 32 /* of a printf that are looked at */

/* Both declared; the definition of the wrapper follows. */
#define WRAP(result, name, params)                                                                                     \
    result __real_##name params;                                                                                       \
    __attribute__((visibility("hidden"))) result __wrap_##name params;                                                 \
    result __wrap_##name params

static inline __attribute__((always_inline)) void reads(const void *a, size_t bytes, const void *pc) {
    touched(a, bytes, TOUCH_READ, pc);
}
static inline __attribute__((always_inline)) void writes(const void *a, size_t bytes, const void *pc) {
    touched(a, bytes, TOUCH_WRITE, pc);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

WRAP(void *, memcpy, (void *to, const void *from, size_t bytes)) {
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return __real_memcpy(to, from, bytes);
}

WRAP(void *, memmove, (void *to, const void *from, size_t bytes)) {
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return __real_memmove(to, from, bytes);
}

WRAP(void *, memset, (void *to, int value, size_t bytes)) {
    writes(to, bytes, HERE);
    return __real_memset(to, value, bytes);
}

WRAP(void, bzero, (void *to, size_t bytes)) {
    writes(to, bytes, HERE);
    __real_bzero(to, bytes);
}

WRAP(int, memcmp, (const void *a, const void *b, size_t bytes)) {
    reads(a, bytes, HERE);
    reads(b, bytes, HERE);
    return __real_memcmp(a, b, bytes);
}

WRAP(void, qsort, (void *base, size_t count, size_t size, int (*compare)(const void *, const void *))) {
    writes(base, count * size, HERE);
    __real_qsort(base, count, size, compare);
}

/* What is given back must not be in flight. */
WRAP(void, free, (void *memory)) {
    touched(memory, malloc_usable_size(memory), TOUCH_FREE, HERE);
    __real_free(memory);
}

WRAP(void *, realloc, (void *memory, size_t bytes)) {
    touched(memory, malloc_usable_size(memory), TOUCH_FREE, HERE);
    return __real_realloc(memory, bytes);
}

/* What newer versions of clang call in place of the first three. */
__attribute__((visibility("hidden"))) void *__asan_memcpy(void *to, const void *from, size_t bytes) {
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return __real_memcpy(to, from, bytes);
}

__attribute__((visibility("hidden"))) void *__asan_memmove(void *to, const void *from, size_t bytes) {
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return __real_memmove(to, from, bytes);
}

__attribute__((visibility("hidden"))) void *__asan_memset(void *to, int value, size_t bytes) {
    writes(to, bytes, HERE);
    return __real_memset(to, value, bytes);
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

WRAP(size_t, strlen, (const char *s)) {
    size_t length = __real_strlen(s);
    reads(s, length + 1, HERE);
    return length;
}

WRAP(char *, strcpy, (char *to, const char *from)) {
    size_t bytes = __real_strlen(from) + 1;
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return __real_strcpy(to, from);
}

WRAP(char *, strncpy, (char *to, const char *from, size_t bytes)) {
    size_t length = strnlen(from, bytes);
    reads(from, length < bytes ? length + 1 : bytes, HERE);
    writes(to, bytes, HERE);
    return __real_strncpy(to, from, bytes);
}

WRAP(char *, strcat, (char *to, const char *from)) {
    size_t length = __real_strlen(to), bytes = __real_strlen(from) + 1;
    reads(from, bytes, HERE);
    reads(to, length, HERE);
    writes(to + length, bytes, HERE);
    return __real_strcat(to, from);
}

/* How many bytes are read to compare two strings. */
static size_t compared(const char *a, const char *b, size_t limit) {
    size_t n = 0;
    while (n < limit && a[n] == b[n] && a[n]) n++;
    return n < limit ? n + 1 : n;
}

WRAP(int, strcmp, (const char *a, const char *b)) {
    size_t bytes = compared(a, b, SIZE_MAX);
    reads(a, bytes, HERE);
    reads(b, bytes, HERE);
    return __real_strcmp(a, b);
}

WRAP(int, strncmp, (const char *a, const char *b, size_t limit)) {
    size_t bytes = compared(a, b, limit);
    reads(a, bytes, HERE);
    reads(b, bytes, HERE);
    return __real_strncmp(a, b, limit);
}

/* ---- input and output ------------------------------------------------------------------------------------------- */

WRAP(ssize_t, read, (int file, void *to, size_t bytes)) {
    writes(to, bytes, HERE);
    return __real_read(file, to, bytes);
}

WRAP(ssize_t, write, (int file, const void *from, size_t bytes)) {
    reads(from, bytes, HERE);
    return __real_write(file, from, bytes);
}

WRAP(size_t, fread, (void *to, size_t size, size_t count, FILE *file)) {
    writes(to, size * count, HERE);
    return __real_fread(to, size, count, file);
}

WRAP(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file)) {
    reads(from, size * count, HERE);
    return __real_fwrite(from, size, count, file);
}

WRAP(char *, fgets, (char *to, int size, FILE *file)) {
    writes(to, size > 0 ? (size_t)size : 0, HERE);
    return __real_fgets(to, size, file);
}

WRAP(int, fputs, (const char *s, FILE *file)) {
    reads(s, __real_strlen(s) + 1, HERE);
    return __real_fputs(s, file);
}

WRAP(int, puts, (const char *s)) {
    reads(s, __real_strlen(s) + 1, HERE);
    return __real_puts(s);
}

/* The strings among the arguments of a printf: their first bytes, since a precision may be all that ends them. */
static void reads_strings(const char *format, va_list arguments, const void *pc) {
    int kinds[ARGUMENTS];
    if (!__atomic_load_n(&race_now->high, __ATOMIC_RELAXED)) return; /* nothing is in flight */
    size_t count = parse_printf_format(format, ARGUMENTS, kinds);
    va_list rest;
    va_copy(rest, arguments);
    for (size_t i = 0; i < count && i < ARGUMENTS; i++) {
        int kind = kinds[i] & ~PA_FLAG_MASK, flags = kinds[i] & PA_FLAG_MASK;
        if (kind == PA_STRING)
            reads(va_arg(rest, const char *), 1, pc);
        else if (flags & PA_FLAG_PTR || kind == PA_WSTRING || kind == PA_POINTER)
            va_arg(rest, void *);
        else if (kind == PA_DOUBLE && flags & PA_FLAG_LONG_DOUBLE)
            va_arg(rest, long double);
        else if (kind == PA_DOUBLE || kind == PA_FLOAT)
            va_arg(rest, double);
        else if (flags & (PA_FLAG_LONG | PA_FLAG_LONG_LONG))
            va_arg(rest, long);
        else
            va_arg(rest, int);
    }
    va_end(rest);
}

WRAP(int, printf, (const char *format, ...)) {
    va_list arguments;
    va_start(arguments, format);
    reads_strings(format, arguments, HERE);
    int result = vprintf(format, arguments);
    va_end(arguments);
    return result;
}

WRAP(int, fprintf, (FILE * file, const char *format, ...)) {
    va_list arguments;
    va_start(arguments, format);
    reads_strings(format, arguments, HERE);
    int result = vfprintf(file, format, arguments);
    va_end(arguments);
    return result;
}

/* What a sprintf writes is known afterwards. */
WRAP(int, sprintf, (char *to, const char *format, ...)) {
    va_list arguments;
    va_start(arguments, format);
    reads_strings(format, arguments, HERE);
    int result = vsprintf(to, format, arguments);
    va_end(arguments);
    if (result >= 0) writes(to, (size_t)result + 1, HERE);
    return result;
}

WRAP(int, snprintf, (char *to, size_t size, const char *format, ...)) {
    va_list arguments;
    va_start(arguments, format);
    reads_strings(format, arguments, HERE);
    int result = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    if (result >= 0) writes(to, (size_t)result < size ? (size_t)result + 1 : size, HERE);
    return result;
}
