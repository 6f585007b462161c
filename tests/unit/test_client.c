// SPDX-License-Identifier: MIT
// A client before a server of the test's own: what it refuses changes nothing, what it is not told
// it predicts, and what it sends is in time.
#include "client.h"

#include "handshake.h"
#include "input.h"
#include "roster.h"
#include "snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TICK_HZ = 60, PLAYERS = 16, SHOTS = 8, OWN_PLACE = 0, FIRST_TICK = 100, FIRST_EVENT = 7 };
enum { OWN = RAIM_MAX_PLAYERS, OTHER, BEYOND = OWN + PLAYERS };

static uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];

// Brings the size's first bytes of `bytes`, in memory of exactly that size.
static bool receive(struct raim_client *client, size_t size)
{
    uint8_t *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    const bool good = raim_client_receive(client, exact, size);
    free(exact);
    return good;
}

static struct raim_welcome good_welcome(void)
{
    struct raim_welcome message = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = OWN,
        .tick = FIRST_TICK,
        .event_sequence = FIRST_EVENT,
        .tick_hz = TICK_HZ,
        .max_players = PLAYERS,
        .shots = SHOTS,
        .roster_count = 1,
        .border = {0, 0, 32000, 32000},
        .rule_count = RAIM_RULE_COUNT,
    };
    raim_rules rules = raim_rules_default();
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        message.rules[i] = *raim_rule_value(&rules, i);
    return message;
}

static struct raim_client *client_of(const struct raim_client_def *def)
{
    struct raim_client *client = raim_client_create(def);
    assert_non_null(client);
    return client;
}

static struct raim_client *test_client(void)
{
    const struct raim_client_def def = raim_client_default_def();
    return client_of(&def);
}

static bool welcome(struct raim_client *client, const struct raim_welcome *message)
{
    return receive(client, raim_welcome_write(message, bytes, sizeof bytes));
}

static bool tell_roster(struct raim_client *client, const struct raim_roster_entry *entries,
                        uint32_t count)
{
    uint32_t written;
    return receive(client, raim_roster_write(entries, count, &written, bytes, sizeof bytes));
}

static bool tell_events(struct raim_client *client, uint32_t sequence,
                        const struct raim_wire_event *events, uint32_t count)
{
    static struct raim_events_message message;
    uint32_t written;
    message.sequence = sequence;
    message.count = count;
    memcpy(message.events, events, count * sizeof *events);
    return receive(client, raim_events_write(&message, &written, bytes, sizeof bytes));
}

// A client that plays, or watches, in an arena where one is known.
static struct raim_client *enter(const struct raim_welcome *message)
{
    struct raim_client *client = test_client();
    assert_true(welcome(client, message));
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "one"}, 1));
    assert_int_equal(raim_client_state(client), RAIM_CLIENT_PLAYING);
    return client;
}

static struct raim_client *player(void)
{
    const struct raim_welcome message = good_welcome();
    return enter(&message);
}

static struct raim_client *spectator(void)
{
    struct raim_welcome message = good_welcome();
    message.player = RAIM_NOBODY;
    return enter(&message);
}

// --- Snapshots ---

static struct raim_wire_limits limits_of_test(void)
{
    const raim_rules rules = raim_rules_default();
    const struct raim_stride stride = raim_world_stride(&rules, TICK_HZ);
    return (struct raim_wire_limits){PLAYERS, SHOTS, raim_wire_history(TICK_HZ), stride.straight,
                                     stride.diagonal};
}

// A frame in which nobody is to be seen. Its memory is that of the one before it.
static struct raim_wire_frame empty_frame(uint32_t tick)
{
    static uint64_t memory[1024];
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_wire_frame frame;
    assert_true(raim_wire_frame_bytes(&limits) <= sizeof memory);
    memset(memory, 0, sizeof memory);
    raim_wire_frame_init(&frame, &limits, memory);
    frame.tick = tick;
    frame.self = (raim_wire_self){.place = OWN_PLACE, .steers = true, .alive = true, .margin = 3};
    return frame;
}

static bool show_delta(struct raim_client *client, const struct raim_wire_frame *baseline,
                       const struct raim_wire_frame *frame)
{
    const struct raim_wire_limits limits = limits_of_test();
    return receive(client, raim_snapshot_write(&limits, baseline, frame, bytes, sizeof bytes));
}

static bool show(struct raim_client *client, const struct raim_wire_frame *frame)
{
    return show_delta(client, NULL, frame);
}

static bool show_empty(struct raim_client *client, uint32_t tick)
{
    const struct raim_wire_frame frame = empty_frame(tick);
    return show(client, &frame);
}

static size_t press(struct raim_client *client)
{
    const raim_input input = {.move_x = 1, .aim = 12345};
    return raim_client_press(client, &input, bytes, sizeof bytes);
}

// What a press says.
static struct raim_input_message pressed(struct raim_client *client)
{
    struct raim_input_message message = {0};
    const size_t size = press(client);
    raim_reader reader = raim_reader_make(bytes, size);
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_INPUT);
    assert_true(raim_input_read(&reader, &message));
    return message;
}

// --- What is refused ---

static void test_roster_that_names_no_place_changes_nobody(void **state)
{
    (void)state;
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    const struct raim_roster_entry entries[] = {{.player = OWN, .name = "own"},
                                                {.player = BEYOND, .name = "beyond"}};
    message.roster_count = 2;
    assert_true(welcome(client, &message));
    assert_false(tell_roster(client, entries, 2));
    assert_int_equal(raim_client_member(client, 0)->id, RAIM_NOBODY);
    assert_int_equal(raim_client_stats(client)->decode_errors, 1);
    raim_client_destroy(client);
}

static void test_events_that_name_no_place_change_nobody(void **state)
{
    (void)state;
    struct raim_client *client = player();
    struct raim_client_event event;
    const struct raim_wire_event events[] = {
        {.kind = RAIM_WIRE_JOINED, .player = OTHER, .entry = {.player = OTHER, .name = "other"}},
        {.kind = RAIM_WIRE_KILL, .player = OTHER, .victim = BEYOND},
    };
    assert_false(tell_events(client, FIRST_EVENT, events, 2));
    assert_int_equal(raim_client_member(client, 1)->id, RAIM_NOBODY);
    assert_false(raim_client_next_event(client, &event));

    // The numbers of the refused ones are not taken either.
    assert_true(tell_events(client, FIRST_EVENT, events, 1));
    assert_int_equal(raim_client_member(client, 1)->id, OTHER);
    assert_int_equal(raim_client_stats(client)->events_repeated, 0);
    raim_client_destroy(client);
}

static void test_refused_snapshot_leaves_the_one_whose_place_it_would_take(void **state)
{
    (void)state;
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
    assert_int_equal(raim_client_stats(client)->snapshots, 2);
    raim_client_destroy(client);
}

static void test_snapshot_that_comes_late_changes_nothing(void **state)
{
    (void)state;
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    assert_true(show(client, &frame));
    frame.self.alive = false;
    assert_true(show(client, &frame));
    frame.tick--;
    assert_true(show(client, &frame));
    assert_int_equal(raim_client_tick(client), FIRST_TICK);
    assert_true(raim_client_alive(client));
    assert_int_equal(raim_client_stats(client)->snapshots, 1);
    assert_int_equal(pressed(client).snapshot, FIRST_TICK);
    raim_client_destroy(client);
}

static void test_snapshot_against_one_that_never_came_is_refused(void **state)
{
    (void)state;
    struct raim_client *client = player();
    const struct raim_wire_frame baseline = empty_frame(0);
    struct raim_wire_frame frame = baseline;
    frame.tick = 3;
    assert_false(show_delta(client, &baseline, &frame));
    assert_int_equal(raim_client_stats(client)->decode_errors, 1);
    assert_int_equal(raim_client_stats(client)->snapshots, 0);
    assert_true(show(client, &baseline));
    assert_true(show_delta(client, &baseline, &frame));
    assert_int_equal(raim_client_tick(client), 3);
    raim_client_destroy(client);
}

static void assert_gave_up(struct raim_client *client)
{
    assert_int_equal(raim_client_state(client), RAIM_CLIENT_ENDED);
    assert_int_equal(raim_client_end(client).reason, RAIM_REASON_MALFORMED);
    assert_int_equal(press(client), 0);
    raim_client_destroy(client);
}

static void test_arena_that_cannot_be_played_ends_the_client(void **state)
{
    (void)state;
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

static void test_players_go_on_as_they_went(void **state)
{
    (void)state;
    static const int directions[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    int step[RAIM_WAYS][2] = {0};
    for (int i = 0; i < 8; i++) {
        const int pace = i % 2 == 0 ? limits.stride : limits.diagonal;
        step[RAIM_WAY_RUN + i][0] = directions[i][0] * pace;
        step[RAIM_WAY_RUN + i][1] = directions[i][1] * pace;
    }
    for (int i = 0; i < 4; i++) {
        step[RAIM_WAY_SLIDE + i][0] = directions[2 * i][0] * limits.diagonal;
        step[RAIM_WAY_SLIDE + i][1] = directions[2 * i][1] * limits.diagonal;
    }
    for (int way = 0; way < RAIM_WAYS; way++) {
        raim_set_add(frame.seen_players, (uint32_t)way);
        frame.players[way] = (raim_wire_player){
            .x = 16001 + way, .y = 16003, .aim = 17 * way, .way = way, .life = 5, .shield = 1};
    }
    assert_true(show(client, &frame));
    for (int age = 0; age <= TICK_HZ / 4; age++) {
        struct raim_client_player seen[PLAYERS];
        press(client);
        assert_int_equal(raim_client_tick(client), FIRST_TICK + age);
        assert_int_equal(raim_client_players(client, seen, PLAYERS), RAIM_WAYS);
        for (int way = 0; way < RAIM_WAYS; way++) {
            assert_int_equal(seen[way].place, way);
            assert_true(seen[way].position.x == (16001 + way + age * step[way][0]) / 32.0);
            assert_true(seen[way].position.y == (16003 + age * step[way][1]) / 32.0);
            assert_true(seen[way].velocity.x == step[way][0] * TICK_HZ / 32.0);
            assert_true(seen[way].velocity.y == step[way][1] * TICK_HZ / 32.0);
            // The own player's aim is what was pressed.
            assert_int_equal(seen[way].aim, way == OWN_PLACE ? 12345 : 64 * 17 * way);
            assert_true(seen[way].life == 5 && seen[way].shielded);
        }
    }
    raim_client_destroy(client);
}

static void test_bullets_fly_on_for_their_lifetime(void **state)
{
    (void)state;
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
    // They are told of until nothing of their lifetime but two ticks is left.
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

static void test_nothing_is_shown_beyond_a_quarter_of_a_second(void **state)
{
    (void)state;
    struct raim_client *client = player();
    for (int i = 0; i < 3; i++)
        assert_int_equal(press(client), 0); // before the first snapshot
    assert_int_equal(raim_client_tick(client), 0);
    assert_true(show_empty(client, FIRST_TICK));
    for (int i = 0; i < 100; i++)
        assert_int_equal(pressed(client).snapshot, FIRST_TICK);
    assert_int_equal(raim_client_tick(client), FIRST_TICK + TICK_HZ / 4);
    raim_client_destroy(client);
}

static void test_the_tick_shown_follows_the_snapshots_and_never_goes_back(void **state)
{
    (void)state;
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

// --- The clock ---

// Shows a snapshot with a margin and returns the tick that the next input is for.
static uint32_t input_tick_after(struct raim_client *client, uint32_t tick, int margin)
{
    struct raim_wire_frame frame = empty_frame(tick);
    frame.self.margin = (int8_t)margin;
    assert_true(show(client, &frame));
    return pressed(client).tick;
}

static void test_the_clock_is_set_once_a_window_by_the_margin(void **state)
{
    (void)state;
    enum { WINDOW = RAIM_MARGIN_WINDOW, START = 3 * WINDOW };
    struct raim_client *client = player();
    uint32_t due = START + 10 + 3;
    // The first windows say nothing yet: no input was in time for a whole one.
    for (uint32_t tick = START + 10; tick < START + 2 * WINDOW; tick++)
        assert_int_equal(input_tick_after(client, tick, -9), due++);
    // Too late by 9: two ticks early from now on.
    due += 2 + 9;
    for (uint32_t tick = START + 2 * WINDOW; tick < START + 4 * WINDOW; tick++)
        assert_int_equal(input_tick_after(client, tick, -9), due++);
    // Needlessly early by 10: a tick at a time.
    due -= 1;
    for (uint32_t tick = START + 4 * WINDOW; tick < START + 6 * WINDOW; tick++)
        assert_int_equal(input_tick_after(client, tick, 15), due++);
    // Good as it is; once a window, also where the window's first snapshots are missing.
    for (uint32_t tick = START + 6 * WINDOW; tick < START + 7 * WINDOW; tick++)
        assert_int_equal(input_tick_after(client, tick, tick % 2 != 0 ? 1 : 5), due++);
    due += 2;
    for (uint32_t tick = START + 7 * WINDOW + 20; tick < START + 9 * WINDOW; tick++)
        assert_int_equal(input_tick_after(client, tick, 0), due++);
    raim_client_destroy(client);
}

// --- Spectators ---

static void test_spectators_say_so_and_only_acknowledge(void **state)
{
    (void)state;
    struct raim_client_def def = raim_client_default_def();
    def.name = "a name of more than the 24 bytes";
    def.watch = true;
    def.target = OTHER;
    struct raim_client *client = client_of(&def);
    struct raim_hello hello;
    raim_reader reader =
        raim_reader_make(bytes, raim_client_write_hello(client, bytes, sizeof bytes));
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_HELLO);
    assert_true(raim_hello_read(&reader, &hello));
    assert_true(hello.watch && hello.target == OTHER);
    assert_string_equal(hello.name, "a name of more than the ");
    raim_client_destroy(client);

    client = spectator();
    assert_true(raim_client_is_spectator(client));
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    frame.self = (raim_wire_self){.place = 1, .alive = true, .shots = 9, .hits = 3};
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

    // The one that it watched left: what it shot is no shot of this client.
    frame.tick = FIRST_TICK + 3;
    frame.self = (raim_wire_self){.place = 2, .shots = 77};
    assert_true(show(client, &frame));
    assert_int_equal(raim_client_viewpoint(client), 2);
    assert_false(raim_client_alive(client));
    assert_int_equal(raim_client_stats(client)->shots, 0);
    assert_int_equal(pressed(client).snapshot, FIRST_TICK + 3);
    raim_client_destroy(client);
}

static void test_late_events_catch_up_with_a_newer_roster(void **state)
{
    (void)state;
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
    const struct raim_client_member *one = raim_client_member(client, 0);
    const struct raim_client_member *member = raim_client_member(client, 1);

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
    const struct raim_client_stats *stats = raim_client_stats(client);
    assert_true(stats->events == 5 && stats->events_lost == 0 && stats->events_repeated == 1);
    assert_true(stats->kills_seen == 3 && stats->kills == 0 && stats->deaths == 0);
    raim_client_destroy(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roster_that_names_no_place_changes_nobody),
        cmocka_unit_test(test_events_that_name_no_place_change_nobody),
        cmocka_unit_test(test_refused_snapshot_leaves_the_one_whose_place_it_would_take),
        cmocka_unit_test(test_snapshot_that_comes_late_changes_nothing),
        cmocka_unit_test(test_snapshot_against_one_that_never_came_is_refused),
        cmocka_unit_test(test_arena_that_cannot_be_played_ends_the_client),
        cmocka_unit_test(test_players_go_on_as_they_went),
        cmocka_unit_test(test_bullets_fly_on_for_their_lifetime),
        cmocka_unit_test(test_nothing_is_shown_beyond_a_quarter_of_a_second),
        cmocka_unit_test(test_the_tick_shown_follows_the_snapshots_and_never_goes_back),
        cmocka_unit_test(test_the_clock_is_set_once_a_window_by_the_margin),
        cmocka_unit_test(test_spectators_say_so_and_only_acknowledge),
        cmocka_unit_test(test_late_events_catch_up_with_a_newer_roster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
