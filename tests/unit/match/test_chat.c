// SPDX-License-Identifier: MIT
// Chat in a match: receivers, cleaning, and the rate limit.
#include "seat_fixture.h"

#include "match_internal.h"

// Two players and two spectators, all with a snapshot.
static struct table *open_full_table(struct raim_match_def def)
{
    struct table *table = open_table(def);
    play(table, 0);
    play(table, 1);
    ticks(table, 5);
    watch(table, 2, 0);
    watch(table, 3, 0);
    ticks(table, DELAY_TICKS + 10);
    assert_true(table->seats[2].any && table->seats[3].any);
    return table;
}

// The nth chat event of a player that a seat received; NULL: none.
static const struct raim_wire_event *received_chat(const struct seat *seat, uint32_t number,
                                                   uint32_t *event_tick)
{
    for (uint32_t i = 0; i < seat->received_count; i++)
        if (seat->received[i].event.kind == RAIM_WIRE_CHAT && number-- == 0) {
            *event_tick = seat->received[i].event_tick;
            return &seat->received[i].event;
        }
    return NULL;
}

static uint32_t count_chat(const struct seat *seat)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < seat->received_count; i++)
        count += seat->received[i].event.kind == RAIM_WIRE_CHAT;
    return count;
}

static uint64_t refused(const struct table *table, enum raim_refusal refusal)
{
    return counts(table).refused[refusal];
}

static void expect_refusal(struct table *table, uint32_t handle, enum raim_chat_refusal refusal)
{
    struct seat *seat = &table->seats[handle];
    const uint32_t before = seat->chat_refusals;
    ticks(table, 6); // a tenth of a second
    assert_int_equal(seat->chat_refusals, before + 1);
    assert_int_equal(seat->chat_refusal, refusal);
}

// Says something that this player has not said before.
static void flood(struct table *table, uint32_t handle)
{
    static uint32_t number;
    char text[32];
    snprintf(text, sizeof text, "flood %u", number++);
    say(table, handle, text);
}

TEST(everybody_hears_what_a_player_says_and_spectators_late)
{
    struct table *table = open_full_table(usual_def());
    const uint32_t chat_in = raim_match_tick(table->match) + 1;
    say(table, 0, "good game");
    say(table, 1, "well played");
    ticks(table, DELAY_TICKS + 1);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t event_tick;
        const uint32_t delay = i >= 2 ? DELAY_TICKS : 0;
        const struct raim_wire_event *first = received_chat(&table->seats[i], 0, &event_tick);
        assert_int_equal(event_tick, chat_in + delay);
        assert_int_equal(first->player, table->seats[0].welcome.player);
        assert_string_equal(first->text, "good game");
        const struct raim_wire_event *second = received_chat(&table->seats[i], 1, &event_tick);
        assert_int_equal(second->player, table->seats[1].welcome.player);
        assert_string_equal(second->text, "well played");
        assert_int_equal(count_chat(&table->seats[i]), 2);
    }
    assert_int_equal(refused(table, RAIM_REFUSED_CHAT), 0);
    close_table(table);
}

TEST(what_is_said_is_cleaned_as_names_are)
{
    struct table *table = open_full_table(usual_def());
    char longest[RAIM_MAX_CHAT_BYTES + 1];
    uint32_t event_tick;
    memset(longest, 'x', RAIM_MAX_CHAT_BYTES);
    longest[RAIM_MAX_CHAT_BYTES] = '\0';
    say(table, 0, "  \xe2\x80\xae\x1b[2J h\xc3\xa9 \n ");
    say(table, 0, longest);
    ticks(table, 1);
    assert_string_equal(received_chat(&table->seats[1], 0, &event_tick)->text, "[2J h\xc3\xa9");
    assert_string_equal(received_chat(&table->seats[1], 1, &event_tick)->text, longest);
    close_table(table);
}

TEST(what_nobody_could_read_is_refused)
{
    static const char *const texts[] = {"", "   ", "\x01\x02", "\xe2\x80\x8b", "\xff", "a\xc0\xaf"};
    struct table *table = open_full_table(usual_def());
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        say(table, 0, texts[i]);
        assert_int_equal(refused(table, RAIM_REFUSED_CHAT), ++count);
    }
    assert_int_equal(refused(table, RAIM_REFUSED_MALFORMED), 0);
    // A refused chat does not count against the rate limit.
    for (int i = 0; i < 4; i++)
        flood(table, 0);
    ticks(table, 1);
    assert_int_equal(count_chat(&table->seats[1]), 4);
    close_table(table);
}

TEST(four_things_may_be_said_at_once_and_then_one_a_second)
{
    struct table *table = open_full_table(usual_def());
    for (int i = 0; i < 10; i++)
        flood(table, 0);
    tick(table);
    assert_int_equal(count_chat(&table->seats[1]), 4);
    assert_int_equal(refused(table, RAIM_REFUSED_CHAT), 6);
    for (int i = 0; i < 600; i++) {
        flood(table, 0);
        tick(table);
    }
    assert_int_equal(count_chat(&table->seats[1]), 4 + 10);
    // The rate limit of other players is unchanged.
    say(table, 1, "calm");
    tick(table);
    assert_int_equal(count_chat(&table->seats[0]), 4 + 10 + 1);
    // The burst does not exceed four after any silence.
    ticks(table, 2000);
    for (int i = 0; i < 10; i++)
        flood(table, 0);
    tick(table);
    assert_int_equal(count_chat(&table->seats[1]), 4 + 10 + 1 + 4);
    close_table(table);
}

TEST(the_last_text_again_is_refused_for_ten_seconds)
{
    struct table *table = open_full_table(usual_def());
    say(table, 0, "buy gold");
    ticks(table, 9 * 60);
    say(table, 0, " buy\x01 gold ");
    expect_refusal(table, 0, RAIM_CHAT_REPEAT);
    say(table, 1, "buy gold"); // somebody else
    say(table, 0, "buy silver");
    say(table, 0, "buy gold"); // no longer the last one
    ticks(table, 10 * 60);
    say(table, 0, "buy gold");
    ticks(table, 1);
    assert_int_equal(refused(table, RAIM_REFUSED_CHAT), 1);
    assert_int_equal(count_chat(&table->seats[1]), 5);
    close_table(table);
}

TEST(another_connection_of_a_session_may_not_say_more)
{
    struct table *table = open_full_table(usual_def());
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .resume = true, .name = "again"};
    memcpy(hello.token, table->seats[0].welcome.token, sizeof hello.token);
    for (int i = 0; i < 4; i++)
        flood(table, 0);
    for (uint32_t handle = 4; handle < 10; handle++) {
        connect_seat(table, handle, &hello);
        flood(table, handle);
        tick(table);
    }
    assert_int_equal(count_chat(&table->seats[1]), 4);
    assert_int_equal(refused(table, RAIM_REFUSED_CHAT), 6);
    close_table(table);
}

TEST(only_players_speak)
{
    struct table *table = open_full_table(usual_def());
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = raim_chat_write("psst", bytes, sizeof bytes);
    say(table, 2, "psst");
    say(table, 3, "psst");
    assert_int_equal(refused(table, RAIM_REFUSED_UNEXPECTED), 2);
    raim_match_connect(table->match, 9, (const uint8_t[RAIM_TOKEN_BYTES]){9});
    say(table, 9, "before a hello");
    assert_int_equal(refused(table, RAIM_REFUSED_UNEXPECTED), 3);
    to_match(table, 0, false, bytes, size); // on the other channel
    assert_int_equal(refused(table, RAIM_REFUSED_UNEXPECTED), 4);
    to_match(table, 0, true, bytes, size - 1);
    assert_int_equal(refused(table, RAIM_REFUSED_MALFORMED), 1);
    ticks(table, 5);
    assert_int_equal(count_chat(&table->seats[0]), 0);
    close_table(table);
}

TEST(a_sender_alone_is_told_why_its_chat_is_refused)
{
    struct table *table = open_full_table(usual_def());
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    say(table, 0, "\xff");
    expect_refusal(table, 0, RAIM_CHAT_TEXT);
    raim_writer writer = raim_message_write(RAIM_MESSAGE_CHAT, bytes, sizeof bytes);
    raim_write_bits(&writer, RAIM_MAX_CHAT_BYTES + 1, 7);
    to_match(table, 0, true, bytes, raim_writer_finish(&writer));
    expect_refusal(table, 0, RAIM_CHAT_LENGTH);
    say(table, 2, "from a spectator");
    expect_refusal(table, 2, RAIM_CHAT_WATCHING);
    for (int i = 0; i < 5; i++)
        flood(table, 0);
    expect_refusal(table, 0, RAIM_CHAT_RATE);
    ticks(table, 600);
    const raim_player_id id = (raim_player_id)table->seats[0].welcome.player;
    assert_true(raim_match_mute(table->match, id, true));
    say(table, 0, "muted");
    expect_refusal(table, 0, RAIM_CHAT_MUTED);
    assert_true(raim_match_mute(table->match, id, false));
    say(table, 0, "heard");
    ticks(table, 12);
    assert_int_equal(table->seats[0].chat_refusals, 4);
    assert_int_equal(table->seats[1].chat_refusals, 0);
    // A flood of refused chat causes ten messages a second at most.
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < 8; j++)
            say(table, 1, "");
        tick(table);
    }
    ticks(table, 6);
    assert_in_range(table->seats[1].chat_refusals, 9, 11);
    close_table(table);
}

// All players flood, join and leave for longer than the late audience's delay. The seats check that
// no event is missing.
TEST(a_flood_of_everybody_costs_nobody_an_event)
{
    struct raim_match_def def = usual_def();
    def.rules.respawn_delay = 0;
    def.rules.spawn_protection = 0;
    def.rules.fire_cooldown = 0.02;
    def.bots = 10;
    struct table *table = open_full_table(def);
    for (uint32_t i = 4; i < 10; i++)
        play(table, i);
    for (int i = 0; i < 2 * DELAY_TICKS; i++) {
        // A freed slot that is taken again starts with a full burst.
        for (uint32_t handle = 4; handle < 10 && i % 4 == 0; handle++) {
            stand_up(table, handle);
            play(table, handle);
        }
        for (uint32_t handle = 0; handle < 10; handle++)
            for (int j = 0; j < 6; j++)
                flood(table, handle);
        tick(table);
    }
    assert_true(count_chat(&table->seats[1]) > 4 * DELAY_TICKS);
    assert_true(count_chat(&table->seats[3]) > 0);
    assert_int_equal(refused(table, RAIM_REFUSED_FULL), 0);
    ticks(table, DELAY_TICKS + 5);
    assert_int_equal(count_chat(&table->seats[3]), count_chat(&table->seats[2]));
    close_table(table);
}

// Repeated joining, chatting and leaving between two ticks fills the event log. Then it has no room
// for more chat, but still for every player's death and leave.
TEST(words_leave_room_for_everybodys_end)
{
    struct raim_match_def def = usual_def();
    struct table *table = open_full_table(def);
    for (uint32_t handle = 4; handle < 9; handle++)
        play(table, handle);
    ticks(table, 5);
    for (int i = 0; i < 100; i++) {
        play(table, 10);
        for (int j = 0; j < 4; j++)
            flood(table, 10);
        say_goodbye(table, 10);
        stand_up(table, 10);
    }
    assert_true(refused(table, RAIM_REFUSED_FULL) > 0);
    say(table, 0, "what is this?");
    assert_true(refused(table, RAIM_REFUSED_CHAT) > 0);
    for (uint32_t handle = 0; handle < 9; handle++)
        if (handle != 2 && handle != 3)
            stand_up(table, handle);
    assert_int_equal(counts(table).players, 0);
    ticks(table, DELAY_TICKS + 5);
    assert_int_equal(count_chat(&table->seats[3]), count_chat(&table->seats[2]));
    assert_true(count_chat(&table->seats[3]) > 20);
    close_table(table);
}
