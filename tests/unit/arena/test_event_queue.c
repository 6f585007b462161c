// SPDX-License-Identifier: MIT
// What an arena reports: who came and left, which rounds ended, and nothing twice or lost, however
// seldom the reports are read.                                          test_event_queue [--seed N]
#include "peer_fixture.h"

#include "event_queue.h"
#include "message.h"

enum { PLAYERS = 8 };

static struct event_queue *queue;
static struct test_match *test;

static struct raim_match_def event_queue_def(void)
{
    struct raim_match_def def = usual_def();
    def.bots = 2;
    def.tuning.max_players = PLAYERS;
    return def;
}

static void end(void *unused)
{
    (void)unused;
    event_queue_destroy(queue);
}

// Until the test's end.
static void begin(struct raim_match_def def)
{
    test = open_test_match(def);
    queue = event_queue_create(&(struct event_queue_def){.slots = def.tuning.max_players + def.bots,
                                                         .departed = def.tuning.max_players});
    assert_non_null(queue);
    test_at_end(end, NULL);
}

static void run(int count)
{
    for (int i = 0; i < count; i++) {
        tick(test);
        event_queue_run(queue, test->match);
    }
}

static struct arena_event next(enum arena_event_kind kind)
{
    struct arena_event item;
    assert_true(event_queue_take(queue, &item));
    assert_int_equal(item.kind, kind);
    return item;
}

static void assert_next(enum arena_event_kind kind, uint32_t handle)
{
    assert_int_equal(next(kind).player, test->peers[handle].welcome.player);
}

static void assert_none(void)
{
    struct arena_event item;
    assert_false(event_queue_take(queue, &item));
}

TEST(who_comes_and_leaves_is_reported_once)
{
    begin(event_queue_def());
    run(3);
    assert_none(); // bots are not reported
    play(test, 0);
    play(test, 1);
    run(5);
    assert_next(ARENA_EVENT_JOINED, 0);
    assert_next(ARENA_EVENT_JOINED, 1);
    run(5);
    assert_none();
    const uint32_t left = test->peers[0].welcome.player;
    leave(test, 0);
    run(2);
    struct arena_event item = next(ARENA_EVENT_LEFT);
    assert_int_equal(item.player, left);
    assert_int_equal(item.reason, RAIM_REASON_LOST);
    assert_true(item.name[0] != '\0');
    assert_none();
    // Those who are still there leave with the arena.
    assert_true(event_queue_take_rest(queue, &item));
    assert_int_equal(item.player, test->peers[1].welcome.player);
    assert_int_equal(item.reason, RAIM_REASON_SHUTDOWN);
    assert_false(event_queue_take_rest(queue, &item));
}

TEST(a_kick_is_told_from_a_farewell)
{
    begin(event_queue_def());
    play(test, 0);
    run(5);
    assert_next(ARENA_EVENT_JOINED, 0);
    assert_true(raim_match_kick(test->match, (raim_player_id)test->peers[0].welcome.player, ""));
    run(1);
    assert_int_equal(next(ARENA_EVENT_LEFT).reason, RAIM_REASON_KICKED);
    play(test, 1);
    run(5);
    assert_next(ARENA_EVENT_JOINED, 1);
    say_goodbye(test, 1);
    run(1);
    assert_int_equal(next(ARENA_EVENT_LEFT).reason, RAIM_REASON_LEFT);
}

TEST(chat_is_reported_where_it_is_wanted)
{
    struct arena_event item;
    begin(event_queue_def());
    play(test, 0);
    run(5);
    assert_next(ARENA_EVENT_JOINED, 0);
    say(test, 0, "unheard");
    run(2);
    assert_none();
    event_queue_want(queue, true, false);
    say(test, 0, "hello");
    assert_true(raim_match_say(test->match, "from above"));
    run(2);
    item = next(ARENA_EVENT_CHAT);
    assert_int_equal(item.player, test->peers[0].welcome.player);
    assert_true(item.name[0] != '\0');
    assert_string_equal(item.text, "hello");
    assert_true(event_queue_take(queue, &item));
    assert_int_equal(item.player, RAIM_NOBODY);
    assert_string_equal(item.text, "from above");
    assert_none();
    // Nobody reads any more: what is lost is counted, and those who come and leave are not lost.
    for (int i = 0; i < 80; i++) {
        raim_match_say(test->match, "again");
        run(1);
    }
    assert_int_equal(event_queue_take_lost(queue, ARENA_EVENT_CHAT), 80 - 64);
    leave(test, 0);
    run(2);
    for (int i = 0; i < 64; i++)
        assert_true(event_queue_take(queue, &item));
    assert_none();
    run(1);
    assert_int_equal(next(ARENA_EVENT_LEFT).reason, RAIM_REASON_LOST);
}

TEST(kills_are_reported_with_both_names)
{
    struct arena_event item;
    struct raim_match_def def = event_queue_def();
    def.bots = 6;
    begin(def);
    event_queue_want(queue, false, true);
    uint32_t kills = 0;
    for (int i = 0; i < 20000 && kills < 5; i++) {
        run(1);
        while (event_queue_take(queue, &item)) {
            assert_int_equal(item.kind, ARENA_EVENT_KILL);
            assert_true(item.player != item.other && item.name[0] != '\0' &&
                        item.other_name[0] != '\0');
            kills++;
        }
    }
    assert_int_equal(kills, 5);
}

TEST(a_slot_that_changes_hands_between_two_looks)
{
    begin(event_queue_def());
    play(test, 0);
    run(5);
    assert_next(ARENA_EVENT_JOINED, 0);
    const uint32_t left = test->peers[0].welcome.player;
    leave(test, 0);
    tick(test);
    play(test, 0);
    ticks(test, 5);
    run(1);
    assert_int_equal(next(ARENA_EVENT_LEFT).player, left);
    assert_next(ARENA_EVENT_JOINED, 0);
    assert_none();
}

// Hands over the report of a round. Returns false if there was no arena.
static bool end_round(uint32_t round)
{
    struct round_report *report = event_queue_begin_round(queue);
    if (report == NULL)
        return false;
    *report = (struct round_report){.round = round, .player_count = 2};
    report->players[1].score = round;
    event_queue_end_round(queue);
    return true;
}

static void assert_round(uint32_t round)
{
    next(ARENA_EVENT_ROUND_ENDED);
    const struct round_report *report = event_queue_round(queue);
    assert_non_null(report);
    assert_int_equal(report->round, round);
    assert_int_equal(report->players[1].score, round);
    event_queue_release_round(queue);
}

TEST(rounds_are_reported_among_those_who_come_and_leave)
{
    begin(event_queue_def());
    play(test, 0);
    run(3);
    assert_true(end_round(1));
    play(test, 1);
    run(3);
    assert_next(ARENA_EVENT_JOINED, 0);
    assert_round(1);
    assert_null(event_queue_round(queue));
    assert_next(ARENA_EVENT_JOINED, 1);
    assert_none();
}

TEST(reports_that_nobody_reads_are_bounded)
{
    uint32_t count = 0, read = 0;
    begin(event_queue_def());
    while (end_round(count + 1))
        assert_in_range(++count, 1, 16);
    for (int i = 0; i < 100; i++) { // as many as were released fit again
        assert_round(++read);
        assert_true(end_round(++count));
        assert_false(end_round(count + 1));
    }
    while (read < count)
        assert_round(++read);
    assert_null(event_queue_round(queue));
}

TEST(a_full_queue_delays_and_loses_nothing)
{
    struct raim_match_def def = event_queue_def();
    def.bots = 0; // then nothing else happens that makes the event queue look again
    begin(def);
    // More than the queue holds, without reading.
    for (int i = 0; i < 200; i++) {
        const uint32_t handle = (uint32_t)chance_int(0, PLAYERS - 1);
        if (test->peers[handle].open)
            leave(test, handle);
        else
            play(test, handle);
        run(3);
    }
    bool present[1 << 16] = {false};
    struct arena_event item;
    for (int i = 0; i < 10; i++) {
        while (event_queue_take(queue, &item)) {
            assert_int_equal(present[item.player], item.kind == ARENA_EVENT_LEFT);
            present[item.player] = item.kind == ARENA_EVENT_JOINED;
        }
        run(1);
    }
    uint32_t count = 0;
    for (uint32_t handle = 0; handle < PEERS; handle++)
        if (test->peers[handle].open) {
            assert_true(present[test->peers[handle].welcome.player]);
            count++;
        }
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        count -= present[i];
    assert_int_equal(count, 0);
}
