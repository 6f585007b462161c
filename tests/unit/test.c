// SPDX-License-Identifier: MIT
// The main program of a component's tests. The tests of a file are a group, called NOUN where the
// file is test_NOUN.c. Without arguments each group runs in a process of its own.
//
//   test_COMPONENT [--seed N] [--list] [NOUN | NOUN.PATTERN]...
//
// PATTERN selects tests by their names, with * and ?.
#include "test.h"

#include "chance.h"

#include <assert.h>
#include <fnmatch.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_GROUPS = 64, MAX_TESTS = 128, MAX_AT_END = 1024, NAME_BYTES = 64 };

struct group {
    char name[NAME_BYTES];
    CMFixtureFunction set_up, tear_down;
    void (*before_each)(void), (*behind_each)(void);
    size_t count;
    struct CMUnitTest tests[MAX_TESTS];
};

static struct group groups[MAX_GROUPS];
static size_t group_count;

uint64_t chance;

// libconfig 1.5 forgets a string that a syntax error follows; that is not ours to free.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:scanctx_take_string\nleak:strbuf_append\nleak:libconfig_yylex\n";
}

// The group of a file, which is new with its first test.
static struct group *group_of(const char *file)
{
    const char *noun = strrchr(file, '/');
    noun = noun != NULL ? noun + 1 : file;
    noun += strncmp(noun, "test_", 5) == 0 ? 5 : 0;
    const int length = (int)strcspn(noun, ".");
    for (size_t i = 0; i < group_count; i++)
        if (strncmp(groups[i].name, noun, (size_t)length) == 0 && groups[i].name[length] == '\0')
            return &groups[i];
    assert(group_count < MAX_GROUPS && length < NAME_BYTES);
    snprintf(groups[group_count].name, NAME_BYTES, "%.*s", length, noun);
    return &groups[group_count++];
}

void test_register(const char *file, struct CMUnitTest test)
{
    struct group *group = group_of(file);
    assert(group->count < MAX_TESTS);
    group->tests[group->count++] = test;
}

void test_register_group(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    struct group *group = group_of(file);
    group->set_up = set_up;
    group->tear_down = tear_down;
}

void test_register_each(const char *file, void (*set_up)(void), void (*tear_down)(void))
{
    struct group *group = group_of(file);
    group->before_each = set_up;
    group->behind_each = tear_down;
}

// --- The running test ---

static const struct group *running;
static const struct CMUnitTest *chosen[MAX_TESTS]; // by the group's patterns
static size_t current;                             // the next of them

static struct {
    void (*function)(void *);
    void *argument;
} at_end[MAX_AT_END];
static size_t at_end_count;

void test_at_end(void (*function)(void *), void *argument)
{
    assert(at_end_count < MAX_AT_END);
    at_end[at_end_count].function = function;
    at_end[at_end_count++].argument = argument;
}

void test_end_now(const void *argument)
{
    size_t i = at_end_count;
    do
        assert(i > 0);
    while (at_end[--i].argument != argument);
    void (*const function)(void *) = at_end[i].function;
    void *const own = at_end[i].argument;
    memmove(&at_end[i], &at_end[i + 1], (--at_end_count - i) * sizeof at_end[0]);
    function(own);
}

static int set_up_test(void **state)
{
    const CMFixtureFunction own = chosen[current++]->setup_func;
    if (running->before_each != NULL)
        running->before_each();
    return own != NULL ? own(state) : 0;
}

static int tear_down_test(void **state)
{
    const CMFixtureFunction own = chosen[current - 1]->teardown_func;
    while (at_end_count > 0)
        test_end_now(at_end[at_end_count - 1].argument);
    const int result = own != NULL ? own(state) : 0;
    if (running->behind_each != NULL)
        running->behind_each();
    return result;
}

// Runs the tests of a group whose names match the pattern. Returns whether all of them passed.
static bool run(const struct group *group, const char *pattern)
{
    struct CMUnitTest tests[MAX_TESTS];
    size_t count = 0;
    running = group;
    current = 0;
    for (size_t i = 0; i < group->count; i++)
        if (fnmatch(pattern, group->tests[i].name, 0) == 0) {
            tests[count] = group->tests[i];
            tests[count].setup_func = set_up_test;
            tests[count].teardown_func = tear_down_test;
            chosen[count++] = &group->tests[i];
        }
    printf("seed %" PRIu64 "\n", chance);
    fflush(stdout);
    return count > 0 &&
           _cmocka_run_group_tests(group->name, tests, count, group->set_up, group->tear_down) == 0;
}

static bool run_apart(const struct group *group)
{
    const pid_t child = fork();
    assert(child >= 0);
    if (child == 0)
        exit(run(group, "*") ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run_named(char *name)
{
    char *pattern = strchr(name, '.');
    if (pattern != NULL)
        *pattern++ = '\0';
    for (size_t i = 0; i < group_count; i++)
        if (strcmp(groups[i].name, name) == 0)
            return run(&groups[i], pattern != NULL ? pattern : "*");
    fprintf(stderr, "no tests named %s; see --list\n", name);
    return false;
}

static void list(void)
{
    for (size_t i = 0; i < group_count; i++)
        for (size_t k = 0; k < groups[i].count; k++)
            printf("%s.%s\n", groups[i].name, groups[i].tests[k].name);
}

int main(int argc, char **argv)
{
    const char *seed = getenv("RAIM_SEED");
    chance = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    bool is_good = true, is_named = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            list();
            return 0;
        }
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            chance = strtoull(argv[++i], NULL, 10);
        } else {
            is_named = true;
            is_good = run_named(argv[i]) && is_good;
        }
    }
    for (size_t i = 0; i < group_count && !is_named; i++)
        is_good = run_apart(&groups[i]) && is_good;
    return is_good ? 0 : 1;
}
