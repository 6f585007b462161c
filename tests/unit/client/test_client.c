// SPDX-License-Identifier: MIT
// Tests of the client against a scripted server: rejected messages change nothing, unsent state is
// predicted, and spectators watch.
#include "chat.h"
#include "client_fixture.h"
#include "notice.h"
#include "watch.h"

#include <math.h>

// --- What is rejected ---

TEST(roster_that_names_no_place_changes_nobody)
{
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    const struct raim_roster_entry entries[] = {{.player = OWN, .name = "own"},
                                                {.player = BEYOND, .name = "beyond"}};
    message.roster_count = 2;
    assert_true(welcome(client, &message));
    assert_false(tell_roster(client, entries, 2));
    assert_int_equal(raim_client_get_roster_entry(client, 0)->id, RAIM_NOBODY);
    assert_int_equal(raim_client_get_stats(client)->decode_errors, 1);
    raim_client_destroy(client);
}

TEST(events_that_name_no_place_change_nobody)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_JOINED, .player = OTHER, .entry = {.player = OTHER, .name = "other"}},
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = BEYOND},
    };
    assert_false(tell_events(client, FIRST_EVENT, events, 2));
    assert_int_equal(raim_client_get_roster_entry(client, 1)->id, RAIM_NOBODY);
    assert_false(raim_client_next_event(client, &event));

    // The numbers of the rejected ones are not taken either.
    assert_true(tell_events(client, FIRST_EVENT, events, 1));
    assert_int_equal(raim_client_get_roster_entry(client, 1)->id, OTHER);
    assert_int_equal(raim_client_get_stats(client)->events_repeated, 0);
    raim_client_destroy(client);
}

TEST(rejected_snapshot_leaves_the_one_whose_place_it_would_take)
{
    struct raim_client *client = player();
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    assert_true(show(client, &frame));
    frame.tick += limits.history;
    const size_t size = raim_snapshot_write(&limits, NULL, &frame, bytes, sizeof bytes);
    assert_false(receive(client, size - 1));
    assert_int_equal(raim_client_tick(client), FIRST_TICK);
    assert_true(raim_client_alive(client));
    assert_true(show_empty(client, FIRST_TICK + 1));
    assert_int_equal(raim_client_get_stats(client)->snapshots, 2);
    raim_client_destroy(client);
}

TEST(snapshot_that_comes_late_changes_nothing)
{
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    assert_true(show(client, &frame));
    frame.self.alive = false;
    assert_true(show(client, &frame));
    frame.tick--;
    assert_true(show(client, &frame));
    assert_int_equal(raim_client_tick(client), FIRST_TICK);
    assert_true(raim_client_alive(client));
    assert_int_equal(raim_client_get_stats(client)->snapshots, 1);
    assert_int_equal(pressed(client).snapshot, FIRST_TICK);
    raim_client_destroy(client);
}

TEST(snapshot_against_one_that_never_came_is_rejected)
{
    struct raim_client *client = player();
    const struct raim_wire_frame baseline = empty_frame(FIRST_TICK);
    struct raim_wire_frame frame = baseline;
    frame.tick = FIRST_TICK + 3;
    assert_false(show_delta(client, &baseline, &frame));
    assert_int_equal(raim_client_get_stats(client)->decode_errors, 1);
    assert_int_equal(raim_client_get_stats(client)->snapshots, 0);
    assert_true(show(client, &baseline));
    assert_true(show_delta(client, &baseline, &frame));
    assert_int_equal(raim_client_tick(client), FIRST_TICK + 3);
    raim_client_destroy(client);
}

// The client releases snapshots that are not needed any more.
TEST(baseline_is_kept_until_a_newer_one_is_used)
{
    enum { HELD_TICKS = 30 };
    struct raim_client *client = player();
    const struct raim_wire_frame first = empty_frame(FIRST_TICK);
    struct raim_wire_frame frame = first;
    assert_true(show(client, &first));
    for (int i = 0; i < HELD_TICKS; i++) {
        frame.tick++;
        assert_true(show_delta(client, &first, &frame));
    }
    const struct raim_wire_frame second = frame;
    for (int i = 0; i < HELD_TICKS; i++) {
        frame.tick++;
        assert_true(show_delta(client, &second, &frame));
    }
    frame.tick++;
    assert_false(show_delta(client, &first, &frame));
    assert_true(show_delta(client, &second, &frame));
    raim_client_destroy(client);
}

static void assert_gave_up(struct raim_client *client)
{
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_ENDED);
    assert_int_equal(raim_client_get_end(client).reason, RAIM_REASON_MALFORMED);
    assert_int_equal(press(client), 0);
    raim_client_destroy(client);
}

TEST(arena_that_cannot_be_played_ends_the_client)
{
    struct raim_welcome message = good_welcome();
    struct raim_client *client = test_client();
    message.rules[0] = -1;
    assert_false(welcome(client, &message));
    assert_gave_up(client);

    message = good_welcome();
    client = test_client();
    message.border[2] = -1; // left of where it begins
    assert_false(welcome(client, &message));
    assert_gave_up(client);

    message = good_welcome();
    client = test_client();
    message.obstacle_count = 1;
    assert_true(welcome(client, &message));
    uint32_t written;
    const struct raim_wire_obstacle clockwise = {3, 0, {{0, 0}, {0, 3200}, {3200, 0}}};
    assert_false(
        receive(client, raim_obstacles_write(&clockwise, 1, &written, bytes, sizeof bytes)));
    assert_gave_up(client);
}

// --- Ticks without a snapshot ---

TEST(players_go_on_as_they_went)
{
    static const int directions[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    int step[RAIM_DIRECTIONS][2] = {0};
    for (int i = 0; i < 8; i++) {
        const int pace = i % 2 == 0 ? limits.stride : limits.diagonal;
        step[RAIM_DIRECTION_RUN + i][0] = directions[i][0] * pace;
        step[RAIM_DIRECTION_RUN + i][1] = directions[i][1] * pace;
    }
    for (int i = 0; i < 4; i++) {
        step[RAIM_DIRECTION_SLIDE + i][0] = directions[2 * i][0] * limits.diagonal;
        step[RAIM_DIRECTION_SLIDE + i][1] = directions[2 * i][1] * limits.diagonal;
    }
    for (int way = 0; way < RAIM_DIRECTIONS; way++) {
        raim_set_add(frame.seen_players, (uint32_t)way);
        frame.players[way] = (raim_wire_player){.x = 16001 + way,
                                                .y = 16003,
                                                .aim = 17 * way,
                                                .direction = way,
                                                .life = 5,
                                                .shield = 1};
    }
    assert_true(show(client, &frame));
    for (int age = 0; age <= TICK_HZ / 4; age++) {
        struct raim_client_player seen[PLAYERS];
        press(client);
        assert_int_equal(raim_client_tick(client), FIRST_TICK + age);
        assert_int_equal(raim_client_players(client, seen, PLAYERS), RAIM_DIRECTIONS);
        for (int way = 0; way < RAIM_DIRECTIONS; way++) {
            assert_int_equal(seen[way].slot, way);
            assert_true(seen[way].position.x == (16001 + way + age * step[way][0]) / 32.0);
            assert_true(seen[way].position.y == (16003 + age * step[way][1]) / 32.0);
            assert_true(seen[way].velocity.x == step[way][0] * TICK_HZ / 32.0);
            assert_true(seen[way].velocity.y == step[way][1] * TICK_HZ / 32.0);
            // The own player's aim is what was pressed.
            assert_int_equal(seen[way].aim, way == OWN_SLOT ? 12345 : 64 * 17 * way);
            assert_true(seen[way].life == 5 && seen[way].shielded);
        }
    }
    raim_client_destroy(client);
}

TEST(bullets_fly_on_for_their_lifetime)
{
    const raim_rules rules = raim_rules_default();
    const int lifetime = (int)(rules.bullet_lifetime * TICK_HZ + 0.5);
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    const uint32_t places[] = {3 * SHOTS + 1, 5 * SHOTS + 7}; // of the 3rd and the 5th player
    struct raim_client_bullet seen[PLAYERS * SHOTS];
    for (int i = 0; i < 2; i++) {
        raim_set_add(frame.seen_bullets, places[i]);
        frame.bullets[places[i]] = (raim_wire_bullet){
            .tick = FIRST_TICK, .now_x = 3200 * i + 11, .now_y = 99, .aim = (uint16_t)(4000 * i)};
    }
    assert_true(show(client, &frame));
    for (int age = 0; age <= TICK_HZ / 4; age++) {
        press(client);
        assert_int_equal(raim_client_bullets(client, seen, PLAYERS * SHOTS), 2);
        for (int i = 0; i < 2; i++) {
            const raim_bullet bullet = {
                .origin = {(3200 * i + 11) / 32.0, 99 / 32.0},
                .direction = raim_angle_direction((raim_angle)(4000 * i)),
                .born_tick = FIRST_TICK,
            };
            const raim_vec2 at =
                raim_bullet_position(&rules, &bullet, FIRST_TICK + (uint32_t)age, TICK_HZ);
            assert_true(seen[i].position.x == at.x && seen[i].position.y == at.y);
            assert_int_equal(seen[i].owner, i == 0 ? 3 : 5);
        }
    }
    // Bullets are sent until two ticks of their lifetime are left.
    for (int age = 1; age <= lifetime - 2; age++) {
        const struct raim_wire_frame before = frame;
        frame.tick = FIRST_TICK + (uint32_t)age;
        assert_true(show_delta(client, &before, &frame));
    }
    press(client);
    assert_int_equal(raim_client_bullets(client, seen, PLAYERS * SHOTS), 2);
    press(client);
    assert_int_equal(raim_client_bullets(client, seen, PLAYERS * SHOTS), 2);
    press(client);
    assert_int_equal(raim_client_tick(client), FIRST_TICK + lifetime);
    assert_int_equal(raim_client_bullets(client, seen, PLAYERS * SHOTS), 0);
    raim_client_destroy(client);
}

TEST(nothing_is_shown_beyond_a_quarter_of_a_second)
{
    struct raim_client *client = player();
    for (int i = 0; i < 3; i++)
        assert_int_equal(press(client), 0); // before the first snapshot
    assert_int_equal(raim_client_tick(client), 0);
    assert_true(show_empty(client, FIRST_TICK));
    assert_int_equal(pressed(client).snapshot, FIRST_TICK);
    for (int i = 1; i < 100; i++)
        press(client);
    assert_int_equal(raim_client_tick(client), FIRST_TICK + TICK_HZ / 4);
    raim_client_destroy(client);
}

TEST(the_tick_shown_follows_the_snapshots_and_never_goes_back)
{
    struct raim_client *client = player();
    // One a tick: none of them is run ahead of.
    for (uint32_t tick = FIRST_TICK; tick < FIRST_TICK + 10; tick++) {
        assert_true(show_empty(client, tick));
        press(client);
        assert_int_equal(raim_client_tick(client), tick);
    }
    // Where one is missing, the tick is shown all the same.
    press(client);
    assert_int_equal(raim_client_tick(client), FIRST_TICK + 10);
    press(client);
    assert_int_equal(raim_client_tick(client), FIRST_TICK + 11);
    // They come again, two ticks late: the client waits for them.
    uint32_t shown = FIRST_TICK + 11;
    for (uint32_t tick = FIRST_TICK + 10; tick < FIRST_TICK + 20; tick++) {
        assert_true(show_empty(client, tick));
        press(client);
        assert_true(raim_client_tick(client) >= shown);
        shown = raim_client_tick(client);
    }
    assert_int_equal(shown, FIRST_TICK + 19);
    raim_client_destroy(client);
}

// --- Spectators ---

TEST(spectators_say_so_and_only_acknowledge)
{
    struct raim_client_def def = raim_client_default_def();
    def.name = "a name of more than the 24 bytes";
    def.watch = true;
    def.target = OTHER;
    struct raim_client *client = client_of(&def);
    struct raim_hello hello;
    raim_reader reader =
        raim_reader_make(bytes, raim_client_write_hello(client, now_us, bytes, sizeof bytes));
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_HELLO);
    assert_true(raim_hello_read(&reader, &hello));
    assert_true(hello.watch && hello.target == OTHER);
    assert_string_equal(hello.name, "a name of more than the ");
    raim_client_destroy(client);

    client = spectator();
    assert_true(raim_client_is_spectator(client));
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    frame.self = (raim_wire_self){.slot = 1, .alive = true, .shots = 9, .hits = 3};
    raim_set_add(frame.seen_players, 1);
    frame.players[1] = (raim_wire_player){.x = 5000, .y = 5000, .aim = 100};
    assert_true(show(client, &frame));
    assert_int_equal(raim_client_viewpoint(client), 1);
    struct raim_client_player seen;
    assert_int_equal(raim_client_players(client, &seen, 1), 1);
    assert_int_equal(seen.aim, 6400);

    const struct raim_input_message message = pressed(client);
    assert_true(message.has_snapshot && message.snapshot == FIRST_TICK && message.count == 1);
    assert_true(message.inputs[0].move_x == 0 && message.inputs[0].aim == 0);
    assert_int_equal(press(client), 0); // nothing new to acknowledge
    assert_int_equal(raim_client_tick(client), FIRST_TICK + 1);

    // The watched player has left; its shots are not shots of this client.
    frame.tick = FIRST_TICK + 3;
    frame.self = (raim_wire_self){.slot = 2, .shots = 77};
    assert_true(show(client, &frame));
    assert_int_equal(raim_client_viewpoint(client), 2);
    assert_false(raim_client_alive(client));
    assert_int_equal(raim_client_get_stats(client)->shots, 0);
    assert_int_equal(pressed(client).snapshot, FIRST_TICK + 3);
    raim_client_destroy(client);
}

TEST(a_spectator_asks_for_another_player_now_and_in_the_next_hello)
{
    struct raim_client_def def = raim_client_default_def();
    struct raim_hello hello;
    uint32_t target;
    def.watch = true;
    def.target = OTHER;
    struct raim_client *client = client_of(&def);
    assert_int_equal(raim_client_write_watch(client, OWN, bytes, sizeof bytes), 0); // not in yet
    raim_reader reader =
        raim_reader_make(bytes, raim_client_write_hello(client, now_us, bytes, sizeof bytes));
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_HELLO);
    assert_true(raim_hello_read(&reader, &hello));
    assert_int_equal(hello.target, OWN);
    raim_client_destroy(client);

    client = spectator();
    reader = raim_reader_make(bytes, raim_client_write_watch(client, OTHER, bytes, sizeof bytes));
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_WATCH);
    assert_true(raim_watch_read(&reader, &target));
    assert_int_equal(target, OTHER);
    assert_int_equal(raim_client_write_watch(client, OTHER, bytes, 2), 0);
    raim_client_destroy(client);

    client = player();
    assert_int_equal(raim_client_write_watch(client, OTHER, bytes, sizeof bytes), 0);
    raim_client_destroy(client);
}

TEST(late_events_catch_up_with_a_newer_roster)
{
    enum { NEXT = OTHER + RAIM_MAX_PLAYERS }; // in the place of the other, later
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    message.player = RAIM_NOBODY;
    message.roster_count = 2;
    assert_true(welcome(client, &message));
    const struct raim_roster_entry now[] = {
        {.player = OWN, .score = 2, .name = "one"},
        {.player = NEXT, .deaths = 1, .name = "next"},
    };
    assert_true(tell_roster(client, now, 2));
    const struct raim_client_roster_entry *one = raim_client_get_roster_entry(client, 0);
    const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, 1);

    // Whoever came later is not mistaken for the one before.
    const struct raim_wire_event before[] = {
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = OWN, .score = 5, .deaths = 4},
        {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = OTHER, .score = 1, .deaths = 3},
        {.kind = RAIM_WIRE_LEFT, .player = OTHER},
    };
    assert_true(tell_events(client, FIRST_EVENT, before, 2));
    assert_true(tell_events(client, FIRST_EVENT + 2, before + 2, 1));
    assert_int_equal(member->id, NEXT);
    assert_true(member->score == 0 && member->deaths == 1 && one->deaths == 4);

    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_JOINED, .player = NEXT, .entry = {.player = NEXT, .name = "next"}},
        {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = NEXT, .score = 2, .deaths = 1},
    };
    assert_true(tell_events(client, FIRST_EVENT + 3, events, 2));
    assert_true(member->id == NEXT && member->deaths == 1 && one->score == 2);

    // Told again, they change nothing.
    assert_true(tell_events(client, FIRST_EVENT + 1, before + 1, 1));
    assert_true(one->score == 2 && one->deaths == 4);
    // Behind a gap, too.
    const struct raim_wire_event kill = {
        .kind = RAIM_WIRE_KILL, .player = OWN, .victim = NEXT, .score = 9};
    assert_true(tell_events(client, FIRST_EVENT + 6, &kill, 1));
    assert_true(one->score == 2);
    const struct raim_client_stats *stats = raim_client_get_stats(client);
    assert_true(stats->events == 5 && stats->events_ahead == 1 && stats->events_repeated == 1);
    assert_true(stats->kills_seen == 3 && stats->kills == 0 && stats->deaths == 0);
    raim_client_destroy(client);
}

// Another thread may draw the map of the last interpolation while a welcome brings another one.
TEST(a_shown_map_outlives_a_change_of_map)
{
    struct raim_welcome message = good_welcome();
    struct raim_client *client = player();
    raim_client_interpolate(client, now_us);
    const struct raim_map *shown = raim_client_map(client);
    for (int i = 0; i < 3; i++) {
        message.token[0]++;
        assert_true(welcome(client, &message));
        assert_true(
            tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "one"}, 1));
        assert_ptr_not_equal(raim_client_map(client), shown);
        assert_true(raim_map_is_free(shown, (raim_vec2){0, 0}, 1) ||
                    !raim_map_is_free(shown, (raim_vec2){0, 0}, 1)); // can be asked
    }
    raim_client_interpolate(client, now_us);
    shown = raim_client_map(client);
    assert_true(welcome(client, &message));
    raim_client_destroy(client); // frees both
}

// --- Client events ---

// The events of a client: chat, kills, rejections, and what it skips or forgets.

static struct raim_wire_event chat_of(int number)
{
    struct raim_wire_event event = {.kind = RAIM_WIRE_CHAT, .player = OWN};
    snprintf(event.text, sizeof event.text, "text %d", number);
    return event;
}

TEST(chat_and_kills_are_received)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        chat_of(1),
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = OWN, .rewind = 6},
        chat_of(2),
    };
    assert_true(tell_events(client, FIRST_EVENT, events, 3));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT && event.player == OWN);
    assert_string_equal(event.text, "text 1");
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_KILL && event.player == OTHER && event.victim == OWN);
    assert_true(fabs(event.rewound_ms - 100) < 1e-9 && event.text[0] == '\0');
    assert_true(raim_client_next_event(client, &event));
    assert_string_equal(event.text, "text 2");
    assert_false(raim_client_next_event(client, &event));
    raim_client_destroy(client);
}

TEST(the_operator_and_rejections_of_chat_have_marks_of_their_own)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    struct raim_wire_event said = {.kind = RAIM_WIRE_CHAT, .by_operator = true, .text = "listen"};
    assert_true(tell_events(client, FIRST_EVENT, &said, 1));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT && event.by_operator);
    assert_int_equal(event.player, RAIM_NOBODY);
    const struct raim_wire_event other = chat_of(1);
    assert_true(tell_events(client, FIRST_EVENT + 1, &other, 1));
    assert_true(raim_client_next_event(client, &event));
    assert_false(event.by_operator);
    assert_true(receive(client, raim_chat_rejected_write(RAIM_CHAT_MUTED, bytes, sizeof bytes)));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_CHAT_REJECTED && event.text[0] == '\0');
    assert_string_equal(raim_client_chat_rejection_name(event.chat_rejection), "muted");
    raim_client_destroy(client);
}

// What a later server may send: a capability, a kind of message and a kind of event that this
// client does not know.
TEST(what_only_later_clients_know_is_skipped)
{
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    message.capabilities = 0xFFFFFFFF;
    strcpy(message.arena, "arena-1");
    assert_string_equal(raim_client_arena(client), "");
    assert_true(welcome(client, &message));
    assert_string_equal(raim_client_arena(client), "arena-1");
    raim_client_destroy(client);
    client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_OTHER, .type = 255, .size = 3, .text = {1, 0, 2}},
        chat_of(1),
    };
    assert_true(tell_events(client, FIRST_EVENT, events, 2));
    assert_true(raim_client_next_event(client, &event));
    assert_string_equal(event.text, "text 1");
    assert_int_equal(raim_client_get_stats(client)->events, 2); // both are acknowledged
    for (uint32_t kind = RAIM_MESSAGE_KINDS; kind <= RAIM_MESSAGE_MAX_KIND; kind++) {
        const uint8_t unknown[] = {(uint8_t)(kind << 1), 0xFF, 0x12};
        assert_true(raim_client_receive(client, 0, unknown, sizeof unknown));
    }
    assert_int_equal(raim_client_get_stats(client)->decode_errors, 0);
    const uint8_t none[] = {0, 0xFF};
    assert_false(raim_client_receive(client, 0, none, sizeof none));
    raim_client_destroy(client);
}

TEST(what_nobody_reads_makes_way)
{
    enum { KEPT = 1024, TEXTS = 32 };
    struct raim_client *client = player();
    struct raim_client_event event;
    uint32_t sequence = FIRST_EVENT;
    for (int i = 0; i < 100; i++) {
        const struct raim_wire_event chat = chat_of(i);
        assert_true(tell_events(client, sequence++, &chat, 1));
    }
    for (int i = 100 - TEXTS; i < 100; i++) {
        const struct raim_wire_event chat = chat_of(i);
        assert_true(raim_client_next_event(client, &event));
        assert_string_equal(event.text, chat.text);
    }
    assert_false(raim_client_next_event(client, &event));
    for (uint32_t i = 0; i < 2 * KEPT; i++) {
        const struct raim_wire_event kill = {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = OWN};
        assert_true(tell_events(client, sequence++, &kill, 1));
    }
    for (int i = 0; i < KEPT; i++)
        assert_true(raim_client_next_event(client, &event) && event.kind == RAIM_CLIENT_KILL);
    assert_false(raim_client_next_event(client, &event));
    raim_client_destroy(client);
}

TEST(only_players_say_something)
{
    char text[RAIM_MAX_CHAT_BYTES + 1];
    struct raim_client *client = player();
    const size_t size = raim_client_write_chat(client, "hello", bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_CHAT);
    assert_true(raim_chat_read(&reader, text));
    assert_string_equal(text, "hello");
    assert_int_equal(raim_client_write_chat(client, "", bytes, sizeof bytes), 0);
    raim_client_destroy(client);
    client = spectator();
    assert_int_equal(raim_client_write_chat(client, "hello", bytes, sizeof bytes), 0);
    raim_client_destroy(client);
    client = test_client();
    assert_int_equal(raim_client_write_chat(client, "hello", bytes, sizeof bytes), 0);
    raim_client_destroy(client);
}

static bool receive_notice(struct raim_client *client, enum raim_notice_kind kind, const char *text)
{
    struct raim_notice notice = {.kind = kind};
    strcpy(notice.text, text);
    return receive(client, raim_notice_write(&notice, bytes, sizeof bytes));
}

TEST(a_line_for_this_player_alone_is_an_event)
{
    struct raim_client *client = player();
    struct raim_client_event event;
    assert_true(receive_notice(client, RAIM_NOTICE_TEXT, "only\xE2\x80\xAE you"));
    assert_true(receive_notice(client, RAIM_NOTICE_CHALLENGE, "not shown"));
    assert_true(raim_client_next_event(client, &event));
    assert_int_equal(event.kind, RAIM_CLIENT_NOTICE);
    assert_string_equal(event.text, "only you");
    assert_false(event.by_operator);
    assert_false(raim_client_next_event(client, &event));
    raim_client_destroy(client);
}

static void expect_rejection(struct raim_client *client, const char *text, const char *name)
{
    struct raim_client_event event;
    assert_int_equal(raim_client_write_chat(client, text, bytes, sizeof bytes), 0);
    assert_true(raim_client_next_event(client, &event));
    assert_int_equal(event.kind, RAIM_CLIENT_CHAT_REJECTED);
    assert_string_equal(raim_client_chat_rejection_name(event.chat_rejection), name);
}

TEST(a_command_goes_only_to_a_server_that_reads_it)
{
    struct raim_notice notice;
    struct raim_client *client = player();
    expect_rejection(client, "/admin login ada secret", "command");
    raim_client_destroy(client);
    struct raim_welcome message = good_welcome();
    message.capabilities = RAIM_CAPABILITY_ADMIN;
    client = enter(&message);
    const size_t size = raim_client_write_chat(client, "/help me", bytes, sizeof bytes);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_NOTICE);
    assert_true(raim_notice_read(&reader, &notice));
    assert_string_equal(notice.text, "help me");
    assert_int_equal(notice.kind, RAIM_NOTICE_TEXT);
    char longer[RAIM_MAX_NOTICE_BYTES + 3] = "/";
    memset(longer + 1, 'x', RAIM_MAX_NOTICE_BYTES + 1);
    expect_rejection(client, longer, "length");
    longer[RAIM_MAX_NOTICE_BYTES + 1] = '\0';
    assert_true(raim_client_write_chat(client, longer, bytes, sizeof bytes) > 0);
    raim_client_destroy(client);
}

// --- Client inputs ---

// The INPUTs of a client: what they repeat, when they are sent, and what a shot says of its view.

TEST(a_message_repeats_the_three_inputs_before)
{
    struct raim_client *client = player();
    assert_true(show_empty(client, FIRST_TICK));
    uint32_t tick = 0;
    for (int i = 0; i < 20; i++) {
        const raim_input input = {.move_y = (int8_t)(i % 2), .aim = (raim_angle)(1000 * i)};
        struct raim_input_message message;
        const size_t size = press_input(client, &input);
        raim_reader reader = raim_reader_make(bytes, size);
        assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_INPUT);
        assert_true(raim_input_read(&reader, &message));
        assert_true(i == 0 || message.tick == tick + 1);
        assert_int_equal(message.count, i < 4 ? i + 1 : 4);
        for (int j = 0; j < (int)message.count; j++)
            assert_int_equal(message.inputs[j].aim, 1000 * (i - j));
        tick = message.tick;
    }
    raim_client_destroy(client);
}

TEST(a_left_out_input_travels_with_the_next_message)
{
    struct raim_client *client = player();
    assert_true(show_empty(client, FIRST_TICK));
    uint32_t tick = 0;
    int left_out = 0;
    for (int i = 0; i < 20; i++) {
        const size_t size = press_input(client, &(raim_input){.aim = (raim_angle)(1000 * i)});
        tick++;
        if (size == 0) {
            left_out++;
            continue;
        }
        const struct raim_input_message message = read_message(size);
        tick = i == 0 ? message.tick : tick;
        assert_int_equal(message.tick, tick);
        for (int j = 0; j < (int)message.count; j++)
            assert_int_equal(message.inputs[j].aim, 1000 * (i - j));
    }
    assert_int_equal(left_out, 9); // every second one after the first three
    raim_client_destroy(client);
}

TEST(an_acknowledgement_that_waits_is_not_forgotten)
{
    struct raim_client *client = player();
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(show_empty(client, FIRST_TICK + i));
        press(client);
    }
    const struct raim_wire_event event = {.kind = RAIM_WIRE_LEFT, .player = OTHER};
    assert_true(tell_events(client, FIRST_EVENT, &event, 1));
    assert_int_equal(pressed(client).events, FIRST_EVENT + 1);
    // The snapshot comes in the tick after an acknowledgement, so its own waits.
    assert_true(show_empty(client, FIRST_TICK + 5));
    assert_int_equal(press(client), 0);
    assert_int_equal(pressed(client).snapshot, FIRST_TICK + 5);
    raim_client_destroy(client);
}

TEST(the_first_inputs_after_a_welcome_are_sent)
{
    struct raim_client *client = player();
    struct raim_welcome message = good_welcome();
    const raim_input still = {0};
    assert_true(show_empty(client, FIRST_TICK));
    for (int i = 0; i < 4; i++)
        press_input(client, &still);
    message.tick += 2;
    assert_true(welcome(client, &message));
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "one"}, 1));
    for (int i = 0; i < 3; i++)
        assert_false(read_message(press_input(client, &still)).has_snapshot);
    raim_client_destroy(client);
}

// Shows the own player with a timer, then holds fire. Returns a bit for each tick with a message.
static uint32_t messages_of_fire(bool alive, uint32_t timer)
{
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    frame.self.alive = alive;
    frame.self.timer = (uint16_t)timer;
    if (alive)
        raim_set_add(frame.seen_players, OWN_SLOT);
    frame.players[OWN_SLOT] = (raim_wire_player){.x = 5000, .y = 5000};
    assert_true(show(client, &frame));
    uint32_t sent = 0;
    for (int i = 0; i < 22; i++)
        sent |= (uint32_t)(press_input(client, &(raim_input){.fire = 1}) > 0) << i;
    raim_client_destroy(client);
    return sent;
}

TEST(an_input_is_sent_when_its_shot_can_be_fired)
{
    // A shot with the first input, the next one 15 ticks later; in between ten messages a second.
    assert_int_equal(messages_of_fire(true, 0), 0x7 | 1 << 8 | 1 << 14 | 0x7 << 15);
    // A player that is down may have respawned.
    assert_int_equal(messages_of_fire(false, 0), (1 << 22) - 1);
}

TEST(an_input_that_is_not_due_does_nothing)
{
    struct raim_client *client = player();
    assert_true(show_empty(client, FIRST_TICK));
    const uint32_t tick = pressed(client).tick;
    const raim_input input = {.aim = 1};
    for (int i = 0; i < 10; i++) {
        assert_false(raim_client_is_input_due(client, now_us));
        assert_int_equal(raim_client_write_input(client, now_us, &input, bytes, sizeof bytes), 0);
    }
    assert_int_equal(pressed(client).tick, tick + 1);
    raim_client_destroy(client);
}

static uint32_t age_of_next_shot(struct raim_client *client, uint32_t *tick)
{
    struct raim_input_message message;
    const size_t size = press_input(client, &(raim_input){.fire = 1});
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_INPUT);
    assert_true(raim_input_read(&reader, &message));
    *tick = message.tick;
    return message.inputs[0].view_age;
}

TEST(a_shot_says_how_late_its_shooter_was_shown_the_others)
{
    struct raim_client *client = player();
    uint32_t tick;
    assert_true(show_empty(client, FIRST_TICK));
    assert_int_equal(pressed(client).inputs[0].view_age, 0); // no shot
    // Who does not look sees the tick that is shown, before the press moves it on.
    for (int i = 0; i < 5; i++) {
        const uint32_t shown = raim_client_tick(client);
        const uint32_t age = age_of_next_shot(client, &tick);
        assert_int_equal(age, tick - shown);
    }
    // Who looks, what it saw then, however long ago; the wire tells 63 ticks at most.
    raim_client_interpolate(client, now_us);
    const double seen = raim_client_interpolated_tick(client);
    for (int i = 0; i < 100; i++) {
        const uint32_t age = age_of_next_shot(client, &tick);
        const uint32_t full = (uint32_t)floor(tick - seen + 0.5);
        assert_int_equal(age, full < RAIM_WIRE_REWIND ? full : RAIM_WIRE_REWIND);
    }
    // A lead is what the server does not make up for.
    now_us += 1000000 / TICK_HZ;
    assert_true(show_empty(client, tick - 4));
    raim_client_interpolate(client, now_us);
    const double age = raim_client_own_tick(client) - raim_client_interpolated_tick(client);
    assert_true(raim_client_lead_ticks(client) == fmax(0, age - MAX_REWIND));
    raim_client_destroy(client);
}

TEST(loss_is_that_of_late)
{
    struct raim_client *client = player();
    assert_true(raim_client_get_quality(client).loss == 0);
    raim_client_count_loss(client, 75, 100);
    assert_true(raim_client_get_quality(client).loss == 0.25);
    for (int i = 0; i < 50; i++)
        raim_client_count_loss(client, 100, 100);
    assert_true(raim_client_get_quality(client).loss < 0.001);
    raim_client_destroy(client);
}
