// SPDX-License-Identifier: MIT
// What the configuration's tests stand on: files in a directory of the test's own, and what loading
// them reports.
#pragma once

#include "chance.h"
#include "config.h"
#include "files_fixture.h"

// A map that is good and small, for tests about something else.
#define MAP "border = (0, 0, 500, 500); spawns = ((100, 100));"
#define ARENA "name = \"a\"; map = \"m.conf\";"

static const char *directory;

static inline const char *path_of(const char *name)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return path;
}

static inline void write_bytes(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static inline char *read_text(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_in_range(fread(text, 1, (1 << 16) - 1, file), 1, (1 << 16) - 2);
    fclose(file);
    return text;
}

// Loads a file of the test's directory; the report has paths relative to that.
static inline struct config *load(const char *name, char **report)
{
    size_t size;
    FILE *out = open_memstream(report, &size);
    struct config *config = config_load(path_of(name), out);
    fclose(out);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s/", directory);
    for (char *at = *report; (at = strstr(at, prefix)) != NULL;)
        memmove(at, at + strlen(prefix), strlen(at + strlen(prefix)) + 1);
    return config;
}

// The file `raimd.conf` must be rejected with exactly this report.
static inline void assert_report(const char *expected)
{
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_null(config);
    assert_string_equal(report, expected);
    free(report);
}

static inline void assert_rejected(const char *text, const char *expected)
{
    write_text("raimd.conf", text);
    assert_report(expected);
}

// The caller unloads.
static inline struct config *config_of(const char *text)
{
    write_text("raimd.conf", text);
    char *report;
    struct config *config = load("raimd.conf", &report);
    assert_string_equal(report, "");
    assert_non_null(config);
    free(report);
    return config;
}

static inline void unload(void *config)
{
    config_unload(config);
}

// The configuration is unloaded after the test.
static inline struct config *assert_accepted(const char *text)
{
    struct config *config = config_of(text);
    test_at_end(unload, config);
    return config;
}

// An arena of these keys beside its name and map.
static inline const struct config_arena *arena_of(const char *keys)
{
    char text[2048];
    snprintf(text, sizeof text, "arenas = ({" ARENA "%s });", keys);
    return &assert_accepted(text)->arenas[0];
}

// `raimd.conf` must be rejected with a report that contains this.
static inline void assert_rejected_for(const char *text, const char *reason)
{
    char *report;
    write_text("raimd.conf", text);
    assert_null(load("raimd.conf", &report));
    if (strstr(report, reason) == NULL)
        fail_msg("%s: %s", text, report);
    free(report);
}

static inline void assert_arena_rejected_for(const char *keys, const char *reason)
{
    char text[2048];
    snprintf(text, sizeof text, "arenas = ({" ARENA "%s });", keys);
    assert_rejected_for(text, reason);
}

static inline void set_up(void)
{
    directory = test_directory();
    write_text("m.conf", MAP);
}
