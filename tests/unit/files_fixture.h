// SPDX-License-Identifier: MIT
// Files of a test, in a directory of its own. The file that includes this defines _GNU_SOURCE.
#pragma once

#include "test.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void remove_directory(void *path)
{
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)path);
    assert_int_equal(system(command), 0);
    free(path);
}

// An empty directory, which is removed with all in it at the test's end.
static inline const char *test_directory(void)
{
    char *path = strdup("/tmp/raim-test-XXXXXX");
    assert_non_null(mkdtemp(path));
    test_at_end(remove_directory, path);
    return path;
}

// The path of a file, until the test's end.
static inline const char *path_in(const char *directory, const char *name)
{
    char *path = freed(malloc(PATH_MAX));
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return path;
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}
