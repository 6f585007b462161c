// SPDX-License-Identifier: MIT
// Idle players are evicted for newcomers while the match is full, and only then.     test_idle
// [--seed N]
#include "seat_fixture.h"

enum { IDLE_TICKS = 60, CLIENT_SLOTS = 3 };

static struct raim_match_def idle_def(void)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_players = CLIENT_SLOTS;
    def.tuning.idle_timeout_s = IDLE_TICKS / 60.0;
    def.tuning.resume_grace_s = 2;
    return def;
}

// A full match, in which every client is idle from the start on.
static struct table *open_full(struct raim_match_def def)
{
    struct table *table = open_table(def);
    for (uint32_t i = 0; i < def.tuning.max_players; i++)
        play(table, i)->is_idle = true;
    ticks(table, 5);
    return table;
}

static void assert_evicted(const struct table *table, uint32_t handle)
{
    const struct seat *seat = &table->seats[handle];
    assert_true(seat->is_over);
    assert_int_equal(seat->goodbye.reason, RAIM_REASON_IDLE);
    assert_true(seat->goodbye.text[0] != '\0');
}

TEST(a_newcomer_gets_in_at_once_in_place_of_who_was_idle_longest)
{
    struct table *table = open_full(idle_def());
    table->seats[0].is_idle = false;
    tick(table);
    table->seats[0].is_idle = true; // later than the others
    ticks(table, IDLE_TICKS + 5);
    const struct seat *guest = play(table, 5);
    ticks(table, 2);
    assert_true(guest->welcome_sent && !guest->is_over);
    assert_evicted(table, 1);
    assert_false(table->seats[0].is_over || table->seats[2].is_over);
    assert_int_equal(counts(table).players, CLIENT_SLOTS);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_FULL], 0);
    // Its session is over: a client with its token begins a new one and may take the next slot.
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "again"};
    memcpy(hello.token, table->seats[1].welcome.token, sizeof hello.token);
    const struct seat *again = connect_seat(table, 6, &hello);
    ticks(table, 2);
    assert_true(again->welcome_sent);
    assert_memory_not_equal(again->welcome.token, hello.token, sizeof hello.token);
    assert_evicted(table, 2);
    close_table(table);
}

TEST(nobody_goes_while_there_is_room)
{
    struct raim_match_def def = idle_def();
    struct table *table = open_table(def);
    for (uint32_t i = 0; i < CLIENT_SLOTS - 1; i++)
        play(table, i)->is_idle = true;
    ticks(table, 5 * IDLE_TICKS);
    play(table, 5);
    ticks(table, 5);
    assert_int_equal(counts(table).players, CLIENT_SLOTS);
    assert_false(table->seats[0].is_over || table->seats[1].is_over);
    close_table(table);
}

TEST(who_presses_stays)
{
    struct table *table = open_full(idle_def());
    for (uint32_t i = 0; i < CLIENT_SLOTS; i++)
        table->seats[i].is_idle = false;
    ticks(table, 3 * IDLE_TICKS);
    // Holding a key counts as idle, as does pressing none, but only after the timeout.
    for (uint32_t i = 0; i < CLIENT_SLOTS; i++)
        table->seats[i].is_idle = true;
    ticks(table, IDLE_TICKS - 5);
    const struct seat *early = play(table, 5);
    ticks(table, 2);
    assert_int_equal(early->goodbye.reason, RAIM_REASON_FULL);
    ticks(table, 10);
    const struct seat *late = play(table, 6);
    ticks(table, 2);
    assert_true(late->welcome_sent);
    close_table(table);
}

TEST(who_is_lost_goes_before_who_is_idle)
{
    struct raim_match_def def = idle_def();
    def.tuning.resume_grace_s = 600;
    struct table *table = open_full(def);
    stand_up(table, 2);
    ticks(table, IDLE_TICKS + 5);
    const struct seat *guest = play(table, 5);
    ticks(table, 2);
    assert_true(guest->welcome_sent);
    assert_false(table->seats[0].is_over || table->seats[1].is_over);
    close_table(table);
}

TEST(spectators_and_those_who_resume_evict_nobody)
{
    struct table *table = open_full(idle_def());
    ticks(table, IDLE_TICKS + 5);
    watch(table, 5, 0);
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "again"};
    memcpy(hello.token, table->seats[1].welcome.token, sizeof hello.token);
    connect_seat(table, 6, &hello)->is_idle = true;
    ticks(table, 3);
    assert_int_equal(table->seats[1].goodbye.reason, RAIM_REASON_RESUMED);
    assert_false(table->seats[0].is_over || table->seats[2].is_over);
    // Resuming does not count as a new input.
    table->seats[0].is_idle = table->seats[2].is_idle = false;
    ticks(table, 5);
    play(table, 7);
    ticks(table, 2);
    assert_evicted(table, 6);
    close_table(table);
}

TEST(time_stands_in_a_pause_and_nobody_is_idle_without_a_timeout)
{
    struct table *table = open_full(idle_def());
    raim_match_pause(table->match, true);
    ticks(table, 3 * IDLE_TICKS);
    const struct seat *guest = play(table, 5);
    ticks(table, 2);
    assert_int_equal(guest->goodbye.reason, RAIM_REASON_FULL);
    raim_match_pause(table->match, false);
    struct raim_match_tuning tuning = table->def.tuning;
    tuning.idle_timeout_s = 0;
    raim_match_tune(table->match, &tuning);
    ticks(table, 3 * IDLE_TICKS);
    const struct seat *other = play(table, 6);
    ticks(table, 2);
    assert_int_equal(other->goodbye.reason, RAIM_REASON_FULL);
    close_table(table);
}
