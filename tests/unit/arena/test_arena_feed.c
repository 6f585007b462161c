// SPDX-License-Identifier: MIT
// What an arena reports: who came and left, which rounds ended, and nothing twice or lost, however
// seldom the reports are read.                                          test_arena_feed [--seed N]
#include "seat_fixture.h"

#include "arena_feed.h"
#include "message.h"

enum { PLAYERS = 8 };

static struct arena_feed *feed;
static struct table *table;

static struct raim_match_def feed_def(void)
{
    struct raim_match_def def = usual_def();
    def.bots = 2;
    def.tuning.max_players = PLAYERS;
    return def;
}

static void begin(struct raim_match_def def)
{
    table = open_table(def);
    feed = arena_feed_create(&(struct arena_feed_def){.slots = def.tuning.max_players + def.bots,
                                                      .departed = def.tuning.max_players});
    assert_non_null(feed);
}

static void end(void)
{
    arena_feed_destroy(feed);
    close_table(table);
}

static void run(int count)
{
    for (int i = 0; i < count; i++) {
        tick(table);
        arena_feed_run(feed, table->match);
    }
}

static void assert_next(enum arena_feed_kind kind, uint32_t handle)
{
    struct arena_feed_item item;
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, kind);
    assert_int_equal(item.player, table->seats[handle].welcome.player);
}

static void assert_none(void)
{
    struct arena_feed_item item;
    assert_false(arena_feed_take(feed, &item));
}

TEST(who_comes_and_leaves_is_reported_once)
{
    begin(feed_def());
    run(3);
    assert_none(); // bots are not reported
    play(table, 0);
    play(table, 1);
    run(5);
    assert_next(ARENA_FEED_JOINED, 0);
    assert_next(ARENA_FEED_JOINED, 1);
    run(5);
    assert_none();
    const uint32_t left = table->seats[0].welcome.player;
    stand_up(table, 0);
    run(2);
    struct arena_feed_item item;
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, ARENA_FEED_LEFT);
    assert_int_equal(item.player, left);
    assert_int_equal(item.reason, RAIM_REASON_LOST);
    assert_true(item.name[0] != '\0');
    assert_none();
    // Those who are still there leave with the arena.
    assert_true(arena_feed_take_rest(feed, &item));
    assert_int_equal(item.player, table->seats[1].welcome.player);
    assert_int_equal(item.reason, RAIM_REASON_SHUTDOWN);
    assert_false(arena_feed_take_rest(feed, &item));
    end();
}

TEST(a_kick_is_told_from_a_farewell)
{
    struct arena_feed_item item;
    begin(feed_def());
    play(table, 0);
    run(5);
    assert_next(ARENA_FEED_JOINED, 0);
    assert_true(raim_match_kick(table->match, (raim_player_id)table->seats[0].welcome.player, ""));
    run(1);
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, ARENA_FEED_LEFT);
    assert_int_equal(item.reason, RAIM_REASON_KICKED);
    play(table, 1);
    run(5);
    assert_next(ARENA_FEED_JOINED, 1);
    say_goodbye(table, 1);
    run(1);
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.reason, RAIM_REASON_LEFT);
    end();
}

TEST(chat_is_reported_where_it_is_wanted)
{
    struct arena_feed_item item;
    begin(feed_def());
    play(table, 0);
    run(5);
    assert_next(ARENA_FEED_JOINED, 0);
    say(table, 0, "unheard");
    run(2);
    assert_none();
    arena_feed_want(feed, true, false);
    say(table, 0, "hello");
    assert_true(raim_match_say(table->match, "from above"));
    run(2);
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, ARENA_FEED_CHAT);
    assert_int_equal(item.player, table->seats[0].welcome.player);
    assert_true(item.name[0] != '\0');
    assert_string_equal(item.text, "hello");
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.player, RAIM_NOBODY);
    assert_string_equal(item.text, "from above");
    assert_none();
    // Nobody reads any more: what is lost is counted, and those who come and leave are not lost.
    for (int i = 0; i < 80; i++) {
        raim_match_say(table->match, "again");
        run(1);
    }
    assert_int_equal(arena_feed_take_lost(feed, ARENA_FEED_CHAT), 80 - 64);
    stand_up(table, 0);
    run(2);
    for (int i = 0; i < 64; i++)
        assert_true(arena_feed_take(feed, &item));
    assert_none();
    run(1);
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, ARENA_FEED_LEFT);
    assert_int_equal(item.reason, RAIM_REASON_LOST);
    end();
}

TEST(kills_are_reported_with_both_names)
{
    struct arena_feed_item item;
    struct raim_match_def def = feed_def();
    def.bots = 6;
    begin(def);
    arena_feed_want(feed, false, true);
    uint32_t kills = 0;
    for (int i = 0; i < 20000 && kills < 5; i++) {
        run(1);
        while (arena_feed_take(feed, &item)) {
            assert_int_equal(item.kind, ARENA_FEED_KILL);
            assert_true(item.player != item.other && item.name[0] != '\0' &&
                        item.other_name[0] != '\0');
            kills++;
        }
    }
    assert_int_equal(kills, 5);
    end();
}

TEST(a_slot_that_changes_hands_between_two_looks)
{
    begin(feed_def());
    play(table, 0);
    run(5);
    assert_next(ARENA_FEED_JOINED, 0);
    const uint32_t left = table->seats[0].welcome.player;
    stand_up(table, 0);
    tick(table);
    play(table, 0);
    ticks(table, 5);
    run(1);
    struct arena_feed_item item;
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, ARENA_FEED_LEFT);
    assert_int_equal(item.player, left);
    assert_next(ARENA_FEED_JOINED, 0);
    assert_none();
    end();
}

// Hands over the report of a round. Returns false if there was no room.
static bool end_round(uint32_t round)
{
    struct round_report *report = arena_feed_begin_round(feed);
    if (report == NULL)
        return false;
    *report = (struct round_report){.round = round, .player_count = 2};
    report->players[1].score = round;
    arena_feed_end_round(feed);
    return true;
}

static void assert_round(uint32_t round)
{
    struct arena_feed_item item;
    assert_true(arena_feed_take(feed, &item));
    assert_int_equal(item.kind, ARENA_FEED_ROUND_ENDED);
    const struct round_report *report = arena_feed_round(feed);
    assert_non_null(report);
    assert_int_equal(report->round, round);
    assert_int_equal(report->players[1].score, round);
    arena_feed_release_round(feed);
}

TEST(rounds_are_reported_among_those_who_come_and_leave)
{
    begin(feed_def());
    play(table, 0);
    run(3);
    assert_true(end_round(1));
    play(table, 1);
    run(3);
    assert_next(ARENA_FEED_JOINED, 0);
    assert_round(1);
    assert_null(arena_feed_round(feed));
    assert_next(ARENA_FEED_JOINED, 1);
    assert_none();
    end();
}

TEST(reports_that_nobody_reads_are_bounded)
{
    uint32_t count = 0, read = 0;
    table = open_table(feed_def());
    feed = arena_feed_create(&(struct arena_feed_def){.slots = 10, .departed = 8});
    while (end_round(count + 1))
        assert_in_range(++count, 1, 16);
    for (int i = 0; i < 100; i++) { // as many as were released fit again
        assert_round(++read);
        assert_true(end_round(++count));
        assert_false(end_round(count + 1));
    }
    while (read < count)
        assert_round(++read);
    assert_null(arena_feed_round(feed));
    end();
}

TEST(a_full_queue_delays_and_loses_nothing)
{
    struct raim_match_def def = feed_def();
    def.bots = 0; // then nothing else happens that makes the feed look again
    begin(def);
    // More than the queue holds, without reading.
    for (int i = 0; i < 200; i++) {
        const uint32_t handle = (uint32_t)chance_int(0, PLAYERS - 1);
        if (table->seats[handle].open)
            stand_up(table, handle);
        else
            play(table, handle);
        run(3);
    }
    bool present[1 << 16] = {false};
    struct arena_feed_item item;
    for (int i = 0; i < 10; i++) {
        while (arena_feed_take(feed, &item)) {
            assert_int_equal(present[item.player], item.kind == ARENA_FEED_LEFT);
            present[item.player] = item.kind == ARENA_FEED_JOINED;
        }
        run(1);
    }
    uint32_t count = 0;
    for (uint32_t handle = 0; handle < SEATS; handle++)
        if (table->seats[handle].open) {
            assert_true(present[table->seats[handle].welcome.player]);
            count++;
        }
    for (size_t i = 0; i < sizeof present / sizeof *present; i++)
        count -= present[i];
    assert_int_equal(count, 0);
    end();
}
