// SPDX-License-Identifier: MIT
// Tests of the client against a scripted server: rejected messages change nothing, unsent state is
// predicted, and spectators watch.
#include "client_fixture.h"

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
}

static void assert_gives_up(struct raim_client *client, bool is_taken)
{
    assert_false(is_taken);
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_ENDED);
    assert_int_equal(raim_client_get_end(client).reason, RAIM_REASON_MALFORMED);
    assert_int_equal(press(client), 0);
}

TEST(arena_that_cannot_be_played_ends_the_client)
{
    struct raim_welcome message = good_welcome();
    struct raim_client *client = test_client();
    message.rules[0] = -1;
    assert_gives_up(client, welcome(client, &message));

    message = good_welcome();
    client = test_client();
    message.border[2] = -1; // left of where it begins
    assert_gives_up(client, welcome(client, &message));

    message = good_welcome();
    client = test_client();
    message.obstacle_count = 1;
    assert_true(welcome(client, &message));
    uint32_t written;
    const struct raim_wire_obstacle clockwise = {3, 0, {{0, 0}, {0, 3200}, {3200, 0}}};
    assert_gives_up(client, receive(client, raim_obstacles_write(&clockwise, 1, &written, bytes,
                                                                 sizeof bytes)));
}

// --- Ticks without a snapshot ---

// Bullets are sent until two ticks of their lifetime are left.
TEST(bullets_fly_on_for_their_lifetime)
{
    const raim_rules rules = raim_rules_default();
    const int lifetime = (int)(rules.bullet_lifetime * TICK_HZ + 0.5);
    struct raim_client *client = player();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    struct raim_client_bullet seen;
    raim_set_add(frame.seen_bullets, 3 * SHOTS + 1);
    frame.bullets[3 * SHOTS + 1] =
        (raim_wire_bullet){.tick = FIRST_TICK, .now_x = 11, .now_y = 99, .aim = 4000};
    assert_true(show(client, &frame));
    for (int age = 1; age <= lifetime - 2; age++) {
        const struct raim_wire_frame before = frame;
        frame.tick = FIRST_TICK + (uint32_t)age;
        assert_true(show_delta(client, &before, &frame));
    }
    for (int i = 0; i < 2; i++) {
        press(client);
        assert_int_equal(raim_client_bullets(client, &seen, 1), 1);
        assert_int_equal(seen.owner, 3);
    }
    press(client);
    assert_int_equal(raim_client_tick(client), FIRST_TICK + lifetime);
    assert_int_equal(raim_client_bullets(client, &seen, 1), 0);
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
}

// --- Spectators ---

TEST(spectators_say_so_and_only_acknowledge)
{
    struct raim_client_def def = raim_client_default_def();
    def.name = "a name of more than the 24 bytes";
    def.watch = true;
    def.target = OTHER;
    struct raim_client *client = client_of(&def);
    const struct raim_hello hello = hello_of(client);
    assert_true(hello.watch && hello.target == OTHER);
    assert_string_equal(hello.name, "a name of more than the ");

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
}

TEST(a_spectator_asks_for_another_player_now_and_in_the_next_hello)
{
    struct raim_client_def def = raim_client_default_def();
    struct raim_watch watch;
    def.watch = true;
    def.target = OTHER;
    struct raim_client *client = client_of(&def);
    assert_int_equal(raim_client_write_watch(client, OWN, bytes, sizeof bytes), 0); // not in yet
    assert_int_equal(hello_of(client).target, OWN);

    client = spectator();
    raim_reader reader =
        raim_reader_make(bytes, raim_client_write_watch(client, OTHER, bytes, sizeof bytes));
    assert_int_equal(raim_message_read(&reader), RAIM_MESSAGE_WATCH);
    assert_true(raim_watch_read(&reader, &watch));
    assert_int_equal(watch.target, OTHER);
    assert_int_equal(raim_client_write_watch(client, OTHER, bytes, 2), 0);

    client = player();
    assert_int_equal(raim_client_write_watch(client, OTHER, bytes, sizeof bytes), 0);
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
        enter_again(client, &message);
        assert_ptr_not_equal(raim_client_map(client), shown);
        assert_true(raim_map_is_free(shown, (raim_vec2){0, 0}, 1) ||
                    !raim_map_is_free(shown, (raim_vec2){0, 0}, 1)); // can be asked
    }
    raim_client_interpolate(client, now_us);
    shown = raim_client_map(client);
    assert_true(welcome(client, &message));
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
}
