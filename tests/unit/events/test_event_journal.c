// SPDX-License-Identifier: MIT
// The log of events: its numbers, what it forgets, and what a journal brings back.
#define _GNU_SOURCE
#include "event_journal.h"
#include "log.h"
#include "store.h"
#include "test.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW_S 1790000000

static char directory[] = "/tmp/test_event_journal_XXXXXX";
static char path[64];
static struct store *store; // without its thread: what waits is written by `end`

// Closes a journal, and writes what waits.
static void end(struct event_journal *events)
{
    event_journal_close(events);
    store_flush(store);
}

static int make_directory(void **state)
{
    (void)state;
    log_set_level(LOG_LEVEL_ERROR);
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/events", directory);
    store = store_create(directory);
    return store != NULL ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    store_close(store);
    unlink(path);
    return rmdir(directory);
}

static int remove_journal(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void add(struct event_journal *events, unsigned number)
{
    char *text = NULL;
    assert_true(asprintf(&text, "{\"number\":%u}", number) > 0);
    event_journal_add(events, "player_joined", text);
    store_flush(store);
}

// Every kept event behind `id`, as their numbers say; returns how many.
static unsigned assert_numbers(const struct event_journal *events, uint64_t id, unsigned first)
{
    unsigned count = 0;
    for (const struct journal_event *event; (event = event_journal_next(events, id)) != NULL;
         count++) {
        char expected[32];
        snprintf(expected, sizeof expected, "{\"number\":%u}", first + count);
        assert_string_equal(event->text, expected);
        assert_string_equal(event->kind, "player_joined");
        assert_true(event->id > id);
        id = event->id;
    }
    return count;
}

TEST(events_are_numbered_and_found)
{
    struct event_journal *events = event_journal_open(NULL, NULL, NOW_S);
    const uint64_t begin = event_journal_newest(events);
    assert_true(begin > 0 && begin < UINT64_C(1) << 53);
    assert_null(event_journal_next(events, begin));
    assert_true(event_journal_forgotten(events) == begin);
    for (unsigned i = 0; i < 10; i++)
        add(events, i);
    assert_true(event_journal_newest(events) == begin + 10);
    assert_int_equal(assert_numbers(events, begin, 0), 10);
    assert_int_equal(assert_numbers(events, begin + 4, 4), 6);
    assert_int_equal(assert_numbers(events, 0, 0), 10);
    end(events);
}

TEST(the_oldest_are_forgotten)
{
    struct event_journal *events = event_journal_open(NULL, NULL, NOW_S);
    const uint64_t begin = event_journal_newest(events);
    for (unsigned i = 0; i < EVENT_JOURNAL_MAX + 5; i++)
        add(events, i);
    assert_true(event_journal_forgotten(events) == begin + 5);
    assert_int_equal(assert_numbers(events, begin, 5), EVENT_JOURNAL_MAX);
    // Long texts push out more of them.
    char *text = malloc(EVENT_JOURNAL_MAX_BYTES / 2);
    memset(text, 'x', EVENT_JOURNAL_MAX_BYTES / 2);
    text[EVENT_JOURNAL_MAX_BYTES / 2 - 1] = '\0';
    for (int i = 0; i < 3; i++)
        event_journal_add(events, "round_ended", strdup(text));
    free(text);
    assert_true(event_journal_newest(events) - event_journal_forgotten(events) <= 2);
    end(events);
}

TEST(a_journal_brings_events_back, NULL, remove_journal)
{
    struct event_journal *events = event_journal_open(store, "events", NOW_S);
    const uint64_t begin = event_journal_newest(events);
    for (unsigned i = 0; i < 3; i++)
        add(events, i);
    end(events);
    events = event_journal_open(store, "events", NOW_S + 10);
    assert_int_equal(assert_numbers(events, begin, 0), 3);
    assert_true(event_journal_newest(events) > begin + 3);
    add(events, 3);
    assert_int_equal(assert_numbers(events, begin, 0), 4);
    end(events);
    events = event_journal_open(store, "events", 5); // the clock was set back
    add(events, 4);
    assert_int_equal(assert_numbers(events, begin, 0), 5);
    end(events);
}

// A file of the journal with this text.
static void write_journal(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fchmod(fileno(file), 0600), 0);
    fputs(text, file);
    fclose(file);
}

TEST(a_damaged_journal_is_read_as_far_as_it_is_good, NULL, remove_journal)
{
    static const char *const tails[] = {
        "1876951040000002 player_joined {\"number\":1}x\n",
        "1876951040000002 player_joined {\"num}\n",
        "1876951040000002 player_joined {\r\"number\":1}\n",
        "1876951040000002 player_joined {\"number\":9",
        "1876951040000002 Player {}\n",
        "9999999999999999 player_joined {}\n",
        "1876951040000000 player_joined {}\n",
        "1 player_joined {}\n",
        "x y {}\n",
        "9",
        "\n",
    };
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        char text[256];
        snprintf(text, sizeof text, "1876951040000001 player_joined {\"number\":0}\n%s", tails[i]);
        write_journal(text);
        struct event_journal *events = event_journal_open(store, "events", NOW_S);
        assert_int_equal(assert_numbers(events, 0, 0), 1);
        add(events, 1);
        assert_int_equal(assert_numbers(events, 0, 0), 2);
        assert_true(event_journal_newest(events) < UINT64_C(1) << 53);
        end(events);
        events = event_journal_open(store, "events", NOW_S);
        assert_int_equal(assert_numbers(events, 0, 0), 2);
        end(events);
    }
}

TEST(a_clock_far_ahead_keeps_numbers_short)
{
    struct event_journal *events = event_journal_open(NULL, NULL, INT64_MAX);
    add(events, 0);
    assert_true(event_journal_newest(events) < UINT64_C(1) << 53);
    end(events);
}

TEST(a_journal_stays_short, NULL, remove_journal)
{
    struct stat status;
    struct event_journal *events = event_journal_open(store, "events", NOW_S);
    for (unsigned i = 0; i < 5 * EVENT_JOURNAL_MAX; i++)
        add(events, i);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size < 2 * EVENT_JOURNAL_MAX * 64);
    assert_int_equal(status.st_mode & 0777, 0600);
    end(events);
    events = event_journal_open(store, "events", NOW_S + 1);
    assert_int_equal(assert_numbers(events, 0, 4 * EVENT_JOURNAL_MAX), EVENT_JOURNAL_MAX);
    end(events);
}

// As when an older raimd follows a newer one.
TEST(lines_that_are_no_events_are_kept_where_they_are, NULL, remove_journal)
{
    char text[512] = "";
    write_journal("first in no form\n1876951040000001 player_joined {\"number\":0}\n"
                  "1876951040000002 Kind-2 {\"number\":7} more\n"
                  "1876951040000003 player_joined {\"number\":1}\n\n");
    const uint64_t before = store_unread(store);
    struct event_journal *events = event_journal_open(store, "events", NOW_S);
    assert_true(store_unread(store) == before + 3);
    assert_int_equal(assert_numbers(events, 0, 0), 2);
    assert_true(event_journal_forgotten(events) < UINT64_C(1876951040000001));
    add(events, 2);
    assert_int_equal(assert_numbers(events, 0, 0), 3);
    end(events);
    FILE *file = fopen(path, "r");
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "first in no form\n1876951040000001 player_joined {\"number\":0}\n"
                                 "1876951040000002 Kind-2 {\"number\":7} more\n"
                                 "1876951040000003 player_joined {\"number\":1}\n\n"));
    // They are forgotten with the events around them.
    events = event_journal_open(store, "events", NOW_S);
    for (unsigned i = 0; i < EVENT_JOURNAL_MAX; i++)
        add(events, i);
    assert_int_equal(event_journal_count_after(events, event_journal_forgotten(events)),
                     EVENT_JOURNAL_MAX);
    end(events);
}

TEST(a_journal_that_cannot_be_written_loses_no_reader_an_event)
{
    struct store *nowhere = store_create("/nowhere");
    struct event_journal *events = event_journal_open(nowhere, "events", NOW_S);
    for (unsigned i = 0; i < 600; i++) {
        add(events, i);
        store_flush(nowhere);
    }
    assert_int_equal(assert_numbers(events, 0, 0), 600);
    assert_true(event_journal_unwritten(events) == 600);
    event_journal_close(events);
    store_close(nowhere);
}

TEST(an_event_is_in_the_journal_before_a_reader_sees_it, NULL, remove_journal)
{
    struct event_journal *events = event_journal_open(store, "events", NOW_S);
    const uint64_t begin = event_journal_newest(events);
    event_journal_add(events, "player_joined", strdup("{\"number\":0}"));
    assert_null(event_journal_next(events, begin));
    assert_int_equal(event_journal_count_after(events, begin), 1);
    while (!store_is_late(store)) // then a reader waits no longer
        poll(NULL, 0, 10);
    assert_int_equal(assert_numbers(events, begin, 0), 1);
    event_journal_add(events, "player_joined", strdup("{\"number\":1}"));
    store_flush(store);
    assert_int_equal(assert_numbers(events, begin, 0), 2);
    end(events);
    events = event_journal_open(store, "events", NOW_S);
    assert_int_equal(assert_numbers(events, begin, 0), 2);
    end(events);
}

TEST_GROUP(make_directory, remove_directory)
