// SPDX-License-Identifier: MIT
// The hook's cursor in the journal: where it begins, what it drops, and what a bad file of it does.
// What is handed over, and to whom, is for daemon.events.
#define _GNU_SOURCE
#include "event_hook.h"

#include "event_journal.h"
#include "log.h"
#include "loop.h"
#include "server_events.h"
#include "store.h"

#include "files_fixture.h"
#include "metric_fixture.h"

static const char *directory;
static struct server_processes processes; // none: nothing is handed over
static struct config config, none;
static struct arena_table table;
static struct server_events *events;
static struct event_hook *hook;
static struct loop *loop;

static uint64_t waiting(void)
{
    return metric_of(&event_hook_metrics, hook, "raimd_event_hook_waiting");
}

static uint64_t dropped(void)
{
    return metric_of(&event_hook_metrics, hook, "raimd_event_hook_dropped_total");
}

static void set_up(void)
{
    log_set_level(LOG_LEVEL_ERROR);
    directory = test_directory();
    strcpy(config.event_hook, "http://127.0.0.1:1/");
}

TEST_EACH(set_up, NULL)

static void open_events(void)
{
    table.store = store_create(directory);
    events = table.events = server_events_open(table.store);
}

static void close_events(void)
{
    server_events_close(events);
    store_close(table.store);
}

static void begin(void)
{
    table = (struct arena_table){.config = &config};
    open_events();
    loop = loop_create();
    hook = event_hook_open(loop, &table, &processes);
    assert_non_null(hook);
}

static void end(void)
{
    event_hook_close(hook);
    loop_destroy(loop);
    close_events();
}

// The hook looks at the configuration and at the events.
static void turn(void)
{
    watchers_call(&table.watchers);
    while (loop_wait(loop, 0))
        continue;
}

static void add(int count)
{
    for (int i = 0; i < count; i++)
        server_events_add(events, "join", "a", strdup("{}"));
}

static void write_cursor(const char *text)
{
    const char *path = path_in(directory, "hook.cursor");
    write_file(path, text);
    assert_int_equal(chmod(path, 0600), 0);
}

TEST(a_first_hook_begins_with_the_next_event)
{
    open_events();
    add(3);
    close_events();
    begin();
    turn();
    assert_true(event_hook_metrics.is_on(hook) && waiting() == 0);
    add(2);
    turn();
    assert_true(waiting() == 2 && dropped() == 0);
    end();
}

TEST(what_is_too_old_is_dropped_and_counted)
{
    begin();
    add(EVENT_JOURNAL_MAX);
    turn();
    assert_true(waiting() == EVENT_JOURNAL_MAX && dropped() == 0);
    add(5);
    turn();
    add(10);
    turn();
    assert_true(waiting() == EVENT_JOURNAL_MAX);
    assert_true(dropped() == 15);
    end();
}

TEST(without_a_hook_nothing_waits)
{
    begin();
    table.config = &none;
    add(10);
    turn();
    assert_true(!event_hook_metrics.is_on(hook) && waiting() == 0);
    add(1);
    table.config = &config;
    turn(); // a reload has made one: it begins from here
    assert_true(waiting() == 1);
    end();
}

TEST(a_cursor_is_taken_where_it_is_one)
{
    char text[32];
    open_events();
    const uint64_t first = event_journal_newest(server_events_journal(events));
    add(5);
    close_events();
    snprintf(text, sizeof text, "%" PRIu64 "\n", first + 2);
    write_cursor(text);
    begin();
    turn();
    assert_true(waiting() == 3);
    end();
    static const char *const bad[] = {
        "", "x\n", "12", "-1\n", "99999999999999999\n", "5\n\n", "9007199254740991\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_cursor(bad[i]);
        begin();
        turn();
        assert_true(waiting() == 0); // as without one
        end();
    }
}
