/* The side file of a ring: communicators, regions, binaries, one JSON object a line.
 *
 * Theory of operation.  It is written as things come up and flushed at once, because the program may not reach its end.
 * Binaries are told at the beginning and, for those loaded later, at the end again. */
#define _GNU_SOURCE
#include "ring.h"
#include "strict.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *meta;

void mpilab_meta_comm(int id, int size, const int *ranks, int inter) {
    mpilab_log_comm(id, size, ranks, inter);
    if (!meta) return;
    fprintf(meta, "{\"comm\": %d, \"ranks\": [", id);
    for (int i = 0; i < size; i++) fprintf(meta, "%s%d", i ? ", " : "", ranks[i]);
    fprintf(meta, "]}\n");
    fflush(meta);
}

static void quoted(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        if ((unsigned char)*text < 32)
            fprintf(file, "\\u%04x", *text);
        else if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static int a_module(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    char own[4096] = "";
    uint64_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) bytes = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (!info->dlpi_name[0] && readlink("/proc/self/exe", own, sizeof own - 1) < 0) return 0;
    fprintf(meta, "{\"module\": ");
    quoted(meta, info->dlpi_name[0] ? info->dlpi_name : own);
    uint64_t base = info->dlpi_addr; /* 0 for an executable that is linked at an address */
    for (int i = 0; i < info->dlpi_phnum && !base; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) base = info->dlpi_phdr[i].p_vaddr, bytes -= base;
    fprintf(meta, ", \"base\": %llu, \"size\": %llu}\n", (unsigned long long)base, (unsigned long long)bytes);
    return 0;
}

void mpilab_side_region(int number, const char *name) {
    if (!meta) return;
    fprintf(meta, "{\"region\": %d, \"name\": ", number);
    quoted(meta, name);
    fprintf(meta, "}\n");
    fflush(meta);
}

void mpilab_side_open(const char *folder, int rank) {
    char path[4096], version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    snprintf(path, sizeof path, "%s/meta-%d.jsonl", folder, rank);
    meta = fopen(path, "we");
    if (!meta) return;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = 0;
    fprintf(meta, "{\"mpi\": ");
    quoted(meta, version);
    fprintf(meta, "}\n");
    mpilab_comms_log();
    dl_iterate_phdr(a_module, NULL);
    fflush(meta);
}

void mpilab_side_forget(void) { meta = NULL; }

void mpilab_side_close(void) {
    if (!meta) return;
    dl_iterate_phdr(a_module, NULL);
    fclose(meta);
    meta = NULL;
}
