// SPDX-License-Identifier: MIT
// A temporary directory for targets that read files: in memory where possible, so that no disk is
// needed, and removed with the process.
#pragma once

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fuzz_directory[64];

static inline void fuzz_remove_directory(void)
{
    rmdir(fuzz_directory);
}

// Makes it. What the target puts in there it must unlink before exit, by an atexit after this.
static inline void fuzz_make_directory(const char *target)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    const char *made = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && made == NULL; i++) {
        snprintf(fuzz_directory, sizeof fuzz_directory, "%s/fuzz_%s_XXXXXX", places[i], target);
        made = mkdtemp(fuzz_directory);
    }
    assert(made != NULL);
    atexit(fuzz_remove_directory);
}

static inline void fuzz_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "we");
    assert(file != NULL && fchmod(fileno(file), 0600) == 0); // some are to be secret
    assert(fwrite(bytes, 1, size, file) == size);
    assert(fclose(file) == 0);
}
