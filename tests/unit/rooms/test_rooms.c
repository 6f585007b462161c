// SPDX-License-Identifier: MIT
// Rooms without HTTP, as an orchestrator uses them: made and ended by JSON texts, in real workers.
#define _GNU_SOURCE
#include "config_fixture.h"

#include "log.h"
#include "loop.h"
#include "metric_fixture.h"
#include "monotonic.h"
#include "rooms.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

enum { DEADLINE_MS = 10000, PORTS = 3 };

static struct arena_table table;
static struct rooms *rooms;
static char ended[256]; // "ID CAUSE;" of each room that the observer was told of

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
        rooms_forget(rooms, gone->arena);
        arena_slot_close(gone);
    }
    watchers_call(&table.watchers);
}

static int start(void **state)
{
    (void)state;
    char text[256], error[256];
    log_set_level(LOG_LEVEL_ERROR);
    const int first = 20000 + (int)getpid() % 10000;
    snprintf(text, sizeof text,
             "arenas = (); on_demand = { ports = \"%d-%d\"; templates = ({ name = \"t\"; map = "
             "\"m.conf\"; "
             "address = \"127.0.0.1\"; max_players = 4; }); };",
             first, first + PORTS - 1);
    struct config *config = assert_accepted(text);
    loop = loop_create();
    assert_true(arena_table_open(&table, config, NULL));
    reports = loop_add_descriptor(loop, table.wakeup.descriptor, take_reports, NULL);
    assert_non_null(reports);
    rooms = rooms_open(loop, &table, error, sizeof error);
    assert_non_null(rooms);
    assert_true(arena_table_start(&table));
    ended[0] = '\0';
    rooms_observe(rooms, &(struct rooms_observer){.context = ended, .ended = note_end});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    arena_table_stop(&table);
    rooms_close(rooms);
    loop_remove(reports);
    arena_table_close(&table);
    loop_destroy(loop);
    return 0;
}

static void turn(void)
{
    loop_wait(loop, 10);
}

static unsigned create(const char *id, const char *json)
{
    struct rooms_answer answer;
    rooms_create(rooms, id, json, strlen(json), &answer);
    assert_non_null(answer.text);
    free(answer.text);
    return answer.status;
}

static unsigned end_room(const char *id, const char *json)
{
    struct rooms_answer answer;
    rooms_end(rooms, id, json, strlen(json), &answer);
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

TEST(a_room_is_made_and_its_end_is_observed, start, stop)
{
    assert_int_equal(rooms_free(rooms), PORTS);
    assert_int_equal(create("a", "{\"template\":\"t\"}"), 201);
    assert_int_equal(create("a", "{ \"template\": \"t\" }"), 200);
    assert_int_equal(create("a", "{\"template\":\"t\",\"places\":2}"), 409);
    assert_int_equal(create("b", "{\"template\":\"x\"}"), 422);
    assert_int_equal(rooms_count(rooms), 1);
    assert_string_equal(rooms_id(rooms, 0), "a");
    assert_int_equal(rooms_free(rooms), PORTS - 1);
    assert_int_equal(end_room("a", ""), 202);
    wait_for_end("a deleted;");
    assert_int_equal(rooms_count(rooms), 0);
    assert_int_equal(rooms_free(rooms), PORTS);
    assert_int_equal(metric_of(&rooms_metrics, rooms, "now"), 0);
    assert_int_equal(metric_of(&rooms_metrics, rooms, "free"), PORTS);
    assert_int_equal(end_room("a", ""), 200);
    assert_int_equal(end_room("b", ""), 404);
    assert_int_equal(metric_of(&rooms_metrics, rooms, "made"), 1);
    assert_int_equal(metric_of(&rooms_metrics, rooms, "ended"), 1);
    assert_int_equal(metric_of(&rooms_metrics, rooms, "refused"), 2);
}

TEST(a_full_pool_and_a_closed_door, start, stop)
{
    static const char *const ids[PORTS] = {"a", "b", "c"};
    for (int i = 0; i < PORTS; i++)
        assert_int_equal(create(ids[i], "{\"template\":\"t\"}"), 201);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 503);
    assert_int_equal(end_room("b", ""), 202);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 503); // its port is not free yet
    wait_for_end("b deleted;");
    rooms_refuse_new(rooms, true);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 503);
    rooms_refuse_new(rooms, false);
    assert_int_equal(create("d", "{\"template\":\"t\"}"), 201);
}

TEST(a_room_that_nobody_joins_ends, start, stop)
{
    assert_int_equal(create("a", "{\"template\":\"t\",\"join_within_s\":1}"), 201);
    wait_for_end("a nobody_joined;");
}

// A file system may take as long as it likes: other arenas of the worker must not wait for it.
TEST(workers_change_no_files, start, stop)
{
    char runtime[] = "/tmp/raimd-test-XXXXXX";
    assert_non_null(mkdtemp(runtime));
    assert_int_equal(setenv("RUNTIME_DIRECTORY", runtime, 1), 0);
    main_thread = pthread_self();
    file_changes = 0;
    file_changes_by_workers = 0;
    assert_int_equal(create("a", "{\"template\":\"t\"}"), 201);
    const int made = file_changes;
    assert_true(made > 0); // its checkpoint is there
    assert_int_equal(end_room("a", ""), 202);
    wait_for_end("a deleted;");
    assert_true(file_changes > made); // and gone
    assert_int_equal(file_changes_by_workers, 0);
    unsetenv("RUNTIME_DIRECTORY");
    assert_int_equal(rmdir(runtime), 0);
}

TEST(rooms_that_are_left_are_stopped, start, stop)
{
    assert_int_equal(create("a", "{\"template\":\"t\"}"), 201);
    turn();
    stop(NULL);
    assert_string_equal(ended, "a stopped;");
    start(NULL);
}

TEST_GROUP(set_up, tear_down)
