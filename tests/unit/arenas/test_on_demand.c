// SPDX-License-Identifier: MIT
// Arenas without HTTP, as an orchestrator uses them: made and ended by JSON texts, in real workers.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "log.h"
#include "loop.h"
#include "metric_fixture.h"
#include "monotonic.h"
#include "on_demand.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

enum { DEADLINE_MS = 10000, PORTS = 3 };

static struct arena_table table;
static struct on_demand *on_demand;
static char ended[256]; // "ID CAUSE;" of each arena that the observer was told of

// Calls of the two functions below, which take the place of libc's.
static pthread_t main_thread;
static _Atomic int file_changes, file_changes_by_workers;

static void note_file_change(void)
{
    file_changes++;
    file_changes_by_workers += !pthread_equal(pthread_self(), main_thread);
}

int rename(const char *from, const char *to)
{
    note_file_change();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path)
{
    note_file_change();
    return unlinkat(AT_FDCWD, path, 0);
}

static void note_end(void *context, const char *id, const char *cause)
{
    assert_ptr_equal(context, ended);
    const size_t used = strlen(ended);
    snprintf(ended + used, sizeof ended - used, "%s %s;", id, cause);
}

static struct loop *loop;
static struct loop_source *reports;

static void take_reports(void *context)
{
    (void)context;
    wakeup_clear(&table.wakeup);
    arena_table_collect(&table);
    for (struct arena_slot *gone; (gone = arena_table_next_gone(&table)) != NULL;) {
        on_demand_forget(on_demand, gone->arena);
        arena_slot_close(gone);
    }
    watchers_call(&table.watchers);
}

static void start(void)
{
    char text[256], error[256];
    set_up();
    log_set_level(LOG_LEVEL_ERROR);
    const int first = 20000 + (int)getpid() % 10000;
    snprintf(text, sizeof text,
             "arenas = (); on_demand = { ports = \"%d-%d\"; templates = ({ name = \"t\"; map = "
             "\"m.conf\"; "
             "address = \"127.0.0.1\"; max_players = 4; }); };",
             first, first + PORTS - 1);
    struct config *config = config_of(text);
    loop = loop_create();
    table = (struct arena_table){.config = NULL};
    assert_true(arena_table_open(&table, config, NULL));
    reports = loop_add_descriptor(loop, table.wakeup.descriptor, take_reports, NULL);
    assert_non_null(reports);
    on_demand = on_demand_open(loop, &table, error, sizeof error);
    assert_non_null(on_demand);
    assert_true(arena_table_start(&table));
    ended[0] = '\0';
    on_demand_observe(on_demand, &(struct on_demand_observer){.context = ended, .ended = note_end});
}

static void stop(void)
{
    arena_table_stop(&table);
    on_demand_close(on_demand);
    loop_remove(reports);
    arena_table_close(&table);
    loop_destroy(loop);
}

TEST_EACH(start, stop)

static void turn(void)
{
    loop_wait(loop, 10);
}

static unsigned create(const char *id, const char *json)
{
    struct on_demand_answer answer;
    on_demand_create(on_demand, id, json, strlen(json), &answer);
    assert_non_null(answer.text);
    free(answer.text);
    return answer.status;
}

static unsigned end_arena(const char *id, const char *json)
{
    struct on_demand_answer answer;
    on_demand_end(on_demand, id, json, strlen(json), &answer);
    free(answer.text);
    return answer.status;
}

static void wait_for_end(const char *expected)
{
    const uint64_t deadline_ms = monotonic_ms() + DEADLINE_MS;
    while (strcmp(ended, expected) != 0) {
        assert_true(monotonic_ms() < deadline_ms);
        turn();
    }
}

TEST(a_arena_is_made_and_its_end_is_observed)
{
    assert_int_equal(on_demand_free_count(on_demand), PORTS);
    assert_int_equal(create("a", "{\"template\":\"t\"}"), 201);
    assert_int_equal(create("a", "{ \"template\": \"t\" }"), 200);
    assert_int_equal(create("a", "{\"template\":\"t\",\"max_players\":2}"), 409);
    assert_int_equal(create("b", "{\"template\":\"x\"}"), 422);
    assert_int_equal(on_demand_count(on_demand), 1);
    assert_string_equal(on_demand_id(on_demand, 0), "a");
    assert_int_equal(on_demand_free_count(on_demand), PORTS - 1);
    assert_int_equal(end_arena("a", ""), 202);
    wait_for_end("a deleted;");
    assert_int_equal(on_demand_count(on_demand), 0);
    assert_int_equal(on_demand_free_count(on_demand), PORTS);
    assert_int_equal(metric_of(&on_demand_metrics, on_demand, "now"), 0);
    assert_int_equal(metric_of(&on_demand_metrics, on_demand, "free"), PORTS);
    assert_int_equal(end_arena("a", ""), 200);
    assert_int_equal(end_arena("b", ""), 404);
    assert_int_equal(metric_of(&on_demand_metrics, on_demand, "made"), 1);
    assert_int_equal(metric_of(&on_demand_metrics, on_demand, "ended"), 1);
    assert_int_equal(metric_of(&on_demand_metrics, on_demand, "rejected"), 2);
}

TEST(a_full_pool_and_a_closed_door)
{
    static const char *const ids[PORTS] = {"a", "b", "c"};
    for (int i = 0; i < PORTS; i++)
        assert_int_equal(create(ids[i], "{\"template\":\"t\"}"), 201);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 503);
    assert_int_equal(end_arena("b", ""), 202);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 503); // its port is not free yet
    wait_for_end("b deleted;");
    on_demand_reject_new(on_demand, true);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 503);
    on_demand_reject_new(on_demand, false);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 201);
}

TEST(a_arena_that_nobody_joins_ends)
{
    assert_int_equal(create("a", "{\"template\":\"t\",\"join_within_s\":1}"), 201);
    wait_for_end("a nobody_joined;");
}

// A file system may take as long as it likes: other arenas of the worker must not wait for it.
TEST(workers_change_no_files)
{
    assert_int_equal(setenv("RUNTIME_DIRECTORY", test_directory(), 1), 0);
    main_thread = pthread_self();
    file_changes = 0;
    file_changes_by_workers = 0;
    assert_int_equal(create("a", "{\"template\":\"t\"}"), 201);
    const int made = file_changes;
    assert_true(made > 0); // its checkpoint is there
    assert_int_equal(end_arena("a", ""), 202);
    wait_for_end("a deleted;");
    assert_true(file_changes > made); // and gone
    assert_int_equal(file_changes_by_workers, 0);
    unsetenv("RUNTIME_DIRECTORY");
}

TEST(on_demand_that_are_left_are_stopped)
{
    assert_int_equal(create("a", "{\"template\":\"t\"}"), 201);
    turn();
    stop();
    assert_string_equal(ended, "a stopped;");
    start();
}
