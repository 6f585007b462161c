// SPDX-License-Identifier: MIT
// Lack of memory while a configuration is loaded, compared and kept: whichever allocation fails,
// the caller is told so, and nothing is lost. The linker wraps the allocations of our own code (not
// those within libraries, of which the table of faults has a row).
#define _GNU_SOURCE
#include "config_fixture.h"

#include "config_diff.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
int __real_vasprintf(char **text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_vasprintf(char **text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static int allocations;
static int failing; // the number of the one that fails; 0: none

static bool fails(void)
{
    return ++allocations == failing;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

int __wrap_vasprintf(char **text, const char *format, va_list arguments)
{
    return fails() ? -1 : __real_vasprintf(text, format, arguments);
}

static void fail_next(int number)
{
    allocations = 0;
    failing = number;
}

// Everything that a file can name: includes, maps, a rotation, names of hosts, a token.
static void write_files(void)
{
    write_text("token", "0123456789abcdef\n");
    assert_int_equal(chmod(path_of("token"), 0600), 0);
    write_text("more.conf", "workers = 2;\n");
    write_text("n.conf", MAP "obstacles = ( ((300, 300), (400, 300), (400, 400)) );");
    write_text("raimd.conf",
               "@include \"more.conf\"\nhttp = { live_token_file = \"token\";\n"
               "hosts = ( \"a.example\" ); };\narenas = ({" ARENA "score_limit = 5;\n"
               "rotation = ( \"n.conf\", \"m.conf\" ); },\n"
               "{ name = \"b\"; map = \"n.conf\"; port = 1; limits = { loopback = true; }; });");
}

TEST(loading_fails_politely_at_every_allocation)
{
    write_files();
    struct config *config = NULL;
    int number = 0;
    while (config == NULL) {
        struct diagnostics report = {.out = stderr};
        fail_next(++number);
        config = config_load_reported(path_of("raimd.conf"), &report);
        const bool failed = allocations >= failing;
        failing = 0;
        assert_int_equal(report.no_memory, failed);
        assert_int_equal(config == NULL, failed);
        assert_int_equal(report.entries, 0);
    }
    assert_in_range(number, 40, 1000);
    config_unload(config);
}

TEST(one_map_and_the_demo_fail_politely)
{
    for (int which = 0; which < 2; which++) {
        struct config *config = NULL;
        for (int number = 1; config == NULL; number++) {
            struct diagnostics report = {.out = stderr};
            fail_next(number);
            config = which == 0 ? config_demo(NULL, &report)
                                : config_load_map(path_of("raimd.conf"), "m.conf", 20, &report);
            const bool failed = allocations >= failing;
            failing = 0;
            assert_int_equal(report.no_memory, failed);
            assert_int_equal(config == NULL, failed);
        }
        config_unload(config);
    }
}

// Compares, and keeps every change; false when memory ran out.
static bool compare_and_keep(struct config *old_config, struct config *new_config)
{
    struct config_diff *diff = config_diff_create(old_config, new_config);
    if (diff == NULL)
        return false;
    assert_int_equal(diff->count, 3);
    bool good = true;
    for (int i = 0; i < diff->count; i++)
        if (diff->changes[i].to != NULL)
            good = config_diff_restore(&diff->changes[i], new_config, old_config) && good;
    config_diff_free(diff);
    return good;
}

TEST(comparing_and_keeping_fail_politely)
{
    bool good = false;
    int number = 0;
    while (!good) {
        struct config *old_config =
            config_of("workers = 1; arenas = ({" ARENA "max_players = 3; });");
        struct config *new_config = config_of("workers = 2; arenas = ({" ARENA "max_players = 4; },"
                                              "{ name = \"b\"; map = \"m.conf\"; port = 1; });");
        fail_next(++number);
        good = compare_and_keep(old_config, new_config);
        const bool failed = allocations >= failing;
        failing = 0;
        assert_int_equal(good, !failed);
        config_unload(old_config);
        config_unload(new_config);
    }
    assert_in_range(number, 5, 100);
}

TEST_EACH(set_up, NULL)
