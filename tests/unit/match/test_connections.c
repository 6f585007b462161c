// SPDX-License-Identifier: MIT
// The operator's commands to a match: say, kick, ban, mute, drain.
#include "seat_fixture.h"

static const struct raim_wire_event *last_received(const struct seat *seat)
{
    return seat->received_count > 0 ? &seat->received[seat->received_count - 1].event : NULL;
}

static raim_player_id id_of(const struct table *table, uint32_t handle)
{
    return (raim_player_id)table->seats[handle].welcome.player;
}

static struct table *open_two(struct raim_match_def def)
{
    struct table *table = open_table(def);
    play(table, 0);
    play(table, 1);
    ticks(table, 5);
    assert_int_equal(counts(table).players, 2);
    return table;
}

static struct raim_hello resuming(const struct table *table, uint32_t handle)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "again"};
    memcpy(hello.token, table->seats[handle].welcome.token, sizeof hello.token);
    return hello;
}

static void assert_goodbye(const struct seat *seat, enum raim_reason reason, const char *text)
{
    assert_true(seat->is_over);
    assert_int_equal(seat->goodbye.reason, reason);
    assert_string_equal(seat->goodbye.text, text);
}

TEST(the_server_says_something_as_player_0)
{
    struct raim_match_def def = usual_def();
    def.spectator_delay_s = 0;
    struct table *table = open_two(def);
    watch(table, 2, 0);
    ticks(table, 5);
    assert_true(raim_match_say(table->match, "  maintenance\x1b at noon "));
    ticks(table, 1);
    for (uint32_t i = 0; i < 3; i++) {
        const struct raim_wire_event *event = last_received(&table->seats[i]);
        assert_int_equal(event->kind, RAIM_WIRE_CHAT);
        assert_true(event->by_operator);
        assert_int_equal(event->player, RAIM_NOBODY);
        assert_string_equal(event->text, "maintenance at noon");
    }
    close_table(table);
}

TEST(what_cannot_be_told_is_not_said)
{
    struct table *table = open_two(usual_def());
    char text[RAIM_MAX_TEXT_BYTES + 2];
    memset(text, 'x', sizeof text);
    text[RAIM_MAX_TEXT_BYTES + 1] = '\0';
    assert_false(raim_match_say(table->match, text));
    assert_false(raim_match_say(table->match, " "));
    assert_false(raim_match_say(table->match, "\xff"));
    const uint32_t before = table->seats[0].received_count;
    ticks(table, 1);
    assert_int_equal(table->seats[0].received_count, before);
    text[RAIM_MAX_TEXT_BYTES] = '\0';
    int said = 0;
    while (raim_match_say(table->match, text))
        said++;
    assert_in_range(said, 1, 10000); // then the event log is full
    ticks(table, said / 4 + 1);      // of such long ones a message holds four
    assert_int_equal(table->seats[0].received_count, before + said);
    close_table(table);
}

TEST(a_kick_ends_a_session_and_tells_why)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct table *table = open_two(def);
    const raim_player_id id = id_of(table, 0);
    const struct raim_hello hello = resuming(table, 0);
    assert_true(raim_match_kick(table->match, id, "be nice"));
    assert_false(raim_match_kick(table->match, id, "be nice"));
    assert_int_equal(counts(table).players, 1);
    ticks(table, 1);
    assert_goodbye(&table->seats[0], RAIM_REASON_KICKED, "be nice");
    const struct raim_wire_event *event = last_received(&table->seats[1]);
    assert_int_equal(event->kind, RAIM_WIRE_LEFT);
    assert_int_equal(event->player, id);
    assert_int_equal(event->reason, RAIM_REASON_KICKED);
    assert_false(table->seats[1].is_over);
    // The session is over: its token makes a new player.
    stand_up(table, 0);
    connect_seat(table, 0, &hello);
    ticks(table, 5);
    assert_int_not_equal(id_of(table, 0), id);
    close_table(table);
}

TEST(who_is_away_can_be_kicked_too)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct table *table = open_two(def);
    const raim_player_id id = id_of(table, 0);
    const struct raim_hello hello = resuming(table, 0);
    stand_up(table, 0);
    ticks(table, 5);
    assert_int_equal(counts(table).away, 1);
    assert_true(raim_match_kick(table->match, id, ""));
    assert_int_equal(counts(table).players, 1);
    connect_seat(table, 0, &hello);
    ticks(table, 5);
    assert_int_not_equal(id_of(table, 0), id);
    close_table(table);
}

TEST(only_clients_can_be_kicked_or_muted)
{
    struct raim_match_def def = usual_def();
    def.bots = 2;
    struct table *table = open_two(def);
    struct raim_match_player rows[SLOTS];
    const uint32_t count = raim_match_players(table->match, rows, SLOTS);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].bot) {
            assert_false(raim_match_kick(table->match, rows[i].id, ""));
            assert_false(raim_match_mute(table->match, rows[i].id, true));
        }
    for (uint32_t id = 0; id <= UINT16_MAX; id++)
        if (id != id_of(table, 0) && id != id_of(table, 1)) {
            assert_false(raim_match_kick(table->match, (raim_player_id)id, ""));
            assert_false(raim_match_mute(table->match, (raim_player_id)id, true));
        }
    assert_int_equal(counts(table).players, 2);
    close_table(table);
}

TEST(a_reason_that_cannot_be_told_is_not)
{
    struct table *table = open_two(usual_def());
    assert_true(raim_match_kick(table->match, id_of(table, 0), "\xff"));
    ticks(table, 1);
    assert_goodbye(&table->seats[0], RAIM_REASON_KICKED, "");
    close_table(table);
}

TEST(a_ban_ends_whatever_a_connection_is)
{
    struct table *table = open_two(usual_def());
    watch(table, 2, 0);
    ticks(table, 5);
    raim_match_connect(table->match, 3, (const uint8_t[RAIM_TOKEN_BYTES]){3});
    for (uint32_t handle = 0; handle < SEATS; handle++)
        if (handle != 1)
            raim_match_ban(table->match, handle, "for cause");
    assert_int_equal(counts(table).players, 1);
    assert_int_equal(counts(table).spectators, 0);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_BANNED], 3);
    // Its HELLO comes too late.
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "late"};
    to_match(table, 3, true, bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    ticks(table, 2);
    assert_goodbye(&table->seats[0], RAIM_REASON_BANNED, "for cause");
    assert_goodbye(&table->seats[2], RAIM_REASON_BANNED, "for cause");
    assert_goodbye(&table->seats[3], RAIM_REASON_BANNED, "for cause");
    assert_false(table->seats[1].is_over);
    assert_int_equal(counts(table).players, 1);
    close_table(table);
}

TEST(who_is_muted_is_heard_by_nobody_until_it_may_speak_again)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct table *table = open_two(def);
    const raim_player_id id = id_of(table, 0);
    struct raim_hello hello = resuming(table, 0);
    assert_true(raim_match_mute(table->match, id, true));
    const uint32_t before = table->seats[1].received_count;
    say(table, 0, "hear me");
    assert_int_equal(counts(table).refused[RAIM_REFUSED_MUTED], 1);
    // Another connection of the session changes nothing.
    connect_seat(table, 5, &hello);
    ticks(table, 5);
    say(table, 5, "hear me");
    ticks(table, 1);
    assert_int_equal(counts(table).refused[RAIM_REFUSED_MUTED], 2);
    assert_int_equal(table->seats[1].received_count, before);
    struct raim_match_player rows[SLOTS];
    assert_int_equal(raim_match_players(table->match, rows, SLOTS), 2);
    assert_true(rows[0].muted);
    assert_false(rows[1].muted);
    assert_true(raim_match_mute(table->match, id, false));
    say(table, 5, "hear me");
    ticks(table, 1);
    assert_string_equal(last_received(&table->seats[1])->text, "hear me");
    close_table(table);
}

TEST(who_takes_a_muted_players_place_may_speak)
{
    struct table *table = open_two(usual_def());
    const raim_player_id id = id_of(table, 0);
    assert_true(raim_match_mute(table->match, id, true));
    say_goodbye(table, 0);
    stand_up(table, 0);
    play(table, 0);
    ticks(table, 5);
    assert_int_equal(raim_player_slot(id_of(table, 0)), raim_player_slot(id));
    say(table, 0, "hello");
    ticks(table, 1);
    assert_string_equal(last_received(&table->seats[1])->text, "hello");
    close_table(table);
}

TEST(a_draining_match_lets_in_only_who_resumes)
{
    struct raim_match_def def = usual_def();
    def.tuning.resume_grace_s = 30;
    struct table *table = open_two(def);
    const raim_player_id id = id_of(table, 0);
    const struct raim_hello hello = resuming(table, 0);
    struct raim_hello unknown = hello;
    unknown.token[0] ^= 1;
    raim_match_drain(table->match, true);
    play(table, 2);
    watch(table, 3, 0);
    connect_seat(table, 4, &unknown);
    stand_up(table, 0);
    connect_seat(table, 0, &hello);
    ticks(table, 5);
    for (uint32_t handle = 2; handle <= 4; handle++) {
        assert_true(table->seats[handle].is_over);
        assert_int_equal(table->seats[handle].goodbye.reason, RAIM_REASON_DRAINING);
        assert_int_not_equal(table->seats[handle].goodbye.text[0], '\0');
    }
    assert_int_equal(counts(table).refused[RAIM_REFUSED_DRAINING], 3);
    assert_int_equal(id_of(table, 0), id);
    assert_int_equal(counts(table).players, 2);
    assert_int_equal(counts(table).away, 0);
    raim_match_drain(table->match, false);
    play(table, 5);
    ticks(table, 5);
    assert_int_equal(counts(table).players, 3);
    close_table(table);
}
