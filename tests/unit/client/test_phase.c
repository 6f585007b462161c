// SPDX-License-Identifier: MIT
// Tests of the client in rounds, breaks and pauses: it reports the phase, does not move players in
// breaks and pauses, and continues without a jump.
#include "client_fixture.h"

#include <math.h>

enum { TICK_US = 1000000 / TICK_HZ };

static const struct raim_wire_phase playing = {
    .phase = RAIM_PHASE_PLAY, .round = 3, .has_end = true, .end_tick = 1300, .score_limit = 20};

// A client that plays with one other player in the third round.
static struct raim_client *player_in_round(void)
{
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    message.roster_count = 2;
    message.phase = playing;
    strcpy(message.motd, "have fun");
    assert_true(welcome(client, &message));
    const struct raim_roster_entry entries[] = {
        {.player = OWN, .score = 4, .deaths = 5, .name = "one"},
        {.player = OTHER, .score = 6, .deaths = 7, .name = "two"},
    };
    assert_true(tell_roster(client, entries, 2));
    return client;
}

static void assert_points(const struct raim_client *client, uint32_t own, uint32_t other)
{
    assert_int_equal(raim_client_get_roster_entry(client, 0)->score, own);
    assert_int_equal(raim_client_get_roster_entry(client, 1)->score, other);
}

// --- Messages ---

TEST(time_runs_down_to_nothing)
{
    struct raim_client *client = player_in_round();
    double before_s = raim_client_get_phase(client).left_s;
    for (uint32_t tick = FIRST_TICK; tick < 1400; tick++) {
        assert_true(show_empty(client, tick));
        raim_client_interpolate(client, now_us);
        press(client);
        const double left_s = raim_client_get_phase(client).left_s;
        assert_true(left_s >= 0 && left_s <= before_s);
        before_s = left_s;
    }
    assert_true(before_s == 0);
}

TEST(a_break_reports_its_winner_and_another_round_begins_at_0)
{
    struct raim_client *client = player_in_round();
    struct raim_client_event event;
    const struct raim_wire_phase ended = {.phase = RAIM_PHASE_BREAK,
                                          .round = 3,
                                          .has_end = true,
                                          .end_tick = 700,
                                          .winner = OTHER,
                                          .next_map = "ruins"};
    const struct raim_wire_event to_break = {.kind = RAIM_WIRE_PHASE, .phase = ended};
    assert_string_equal(raim_client_next_map(client), "");
    assert_true(tell_events(client, FIRST_EVENT, &to_break, 1));
    assert_string_equal(raim_client_next_map(client), "ruins");
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.kind == RAIM_CLIENT_PHASE && event.phase == RAIM_CLIENT_BREAK);
    assert_true(event.player == OTHER && event.round == 3 && event.text[0] == '\0');
    assert_int_equal(raim_client_get_phase(client).winner, OTHER);
    assert_true(raim_client_get_phase(client).left_s == 10);
    assert_points(client, 4, 6);

    const struct raim_wire_phase next = {.phase = RAIM_PHASE_PLAY, .round = 4};
    const struct raim_wire_event to_play[] = {
        {.kind = RAIM_WIRE_PHASE, .phase = next},
        {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = OTHER, .score = 1, .deaths = 1},
    };
    assert_true(tell_events(client, FIRST_EVENT + 1, to_play, 2));
    assert_true(raim_client_next_event(client, &event));
    assert_true(event.phase == RAIM_CLIENT_PLAY && event.round == 4);
    assert_string_equal(raim_client_next_map(client), "");
    assert_int_equal(event.player, RAIM_NOBODY);
    assert_points(client, 1, 0);
    assert_int_equal(raim_client_get_roster_entry(client, 0)->deaths, 0);
    assert_int_equal(raim_client_get_roster_entry(client, 1)->deaths, 1);
    assert_false(raim_client_get_phase(client).has_end);
    assert_true(raim_client_get_phase(client).left_s == 0);
    assert_int_equal(raim_client_get_stats(client)->rounds, 1);
}

TEST(a_pause_keeps_the_points)
{
    struct raim_client *client = player_in_round();
    struct raim_wire_event event = {.kind = RAIM_WIRE_PHASE,
                                    .phase = {.phase = RAIM_PHASE_PAUSED, .round = 3}};
    assert_true(tell_events(client, FIRST_EVENT, &event, 1));
    assert_int_equal(raim_client_get_phase(client).kind, RAIM_CLIENT_PAUSED);
    event.phase = playing;
    assert_true(tell_events(client, FIRST_EVENT + 1, &event, 1));
    assert_points(client, 4, 6);
    assert_int_equal(raim_client_get_stats(client)->rounds, 0);
}

// --- What is pressed and shown ---

// A server that moves the only player by what it heard of each tick in time, but not while held.
struct road {
    int32_t x; // on the wire's grid
    int8_t heard[1024];
    uint32_t newest; // tick of the newest input
    uint32_t tick;
    bool held;
};

static struct raim_wire_frame frame_of(const struct road *road, int32_t way)
{
    struct raim_wire_frame frame = empty_frame(road->tick);
    frame.self.steers = !road->held;
    frame.self.margin = 2; // as it is to be
    raim_set_add(frame.seen_players, OWN_SLOT);
    frame.players[OWN_SLOT] =
        (raim_wire_player){.x = road->x, .y = 16000, .direction = way, .life = 1};
    return frame;
}

static void step(struct road *road, struct raim_client *client)
{
    const int32_t stride = limits_of_test().stride;
    const bool runs = road->heard[road->tick % 1024] > 0 && !road->held;
    road->x += runs ? stride : 0;
    road->tick++;
    const struct raim_wire_frame frame =
        frame_of(road, runs ? RAIM_DIRECTION_RUN : RAIM_DIRECTION_STAND);
    assert_true(show(client, &frame));
}

static void hear(struct road *road, int8_t wanted, size_t size)
{
    const struct raim_input_message message = read_message(size);
    assert_int_equal(message.inputs[0].move_x, wanted);
    assert_int_equal(message.inputs[0].aim, 12345);
    for (uint32_t i = 0; i < message.count; i++)
        road->heard[(message.tick - i) % 1024] = message.inputs[i].move_x;
    road->newest = message.tick;
}

// The client has left out an input.
static void repeat(struct road *road)
{
    const int8_t held = road->heard[road->newest % 1024];
    road->heard[++road->newest % 1024] = held;
}

static double shown_x(const struct raim_client *client)
{
    struct raim_client_player seen[PLAYERS];
    assert_int_equal(raim_client_interpolated_players(client, seen, PLAYERS), 1);
    return seen[0].position.x;
}

TEST(it_stands_while_nobody_moves_and_nothing_jumps)
{
    enum { HELD = 60, PLAYED = 180, ALL = 260, FRAMES = 4 };
    struct raim_client *client = player_in_round();
    struct road road = {.x = 3200, .tick = FIRST_TICK};
    const double stride = limits_of_test().stride / (double)RAIM_WIRE_UNITS;
    double before = 100, held_at = 0, most_back = 0;
    for (int tick = 0; tick < ALL; tick++) {
        road.held = tick >= HELD && tick < PLAYED;
        step(&road, client);
        for (int frame = 0; frame < FRAMES; frame++) {
            now_us += TICK_US / FRAMES;
            raim_client_interpolate(client, now_us);
            const double x = shown_x(client);
            assert_true(fabs(x - before) <= stride); // four times the usual pace at most
            most_back = fmax(most_back, before - x);
            before = x;
            while (raim_client_is_input_due(client, now_us)) {
                const size_t size = press(client);
                if (size > 0)
                    hear(&road, road.held ? 0 : 1, size);
                else
                    repeat(&road);
            }
        }
        if (tick == HELD + 60)
            held_at = before;
        if (tick > HELD + 60 && tick < PLAYED)
            assert_true(fabs(before - held_at) < 0.01);
    }
    // It ran before and ran on afterwards, as foreseen but for where the break began.
    assert_true(held_at > 100 + (HELD - 10) * stride && road.x / 32.0 > held_at + 70 * stride);
    assert_true(most_back > 0 && most_back < stride);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    assert_true(quality.predictions > 100);
    assert_int_equal(quality.mispredictions, 0);
}

TEST(shots_of_the_last_tick_before_a_break_count)
{
    struct raim_client *client = player_in_round();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    assert_true(show(client, &frame));
    frame.tick++;
    frame.self.steers = false;
    frame.self.shots = frame.self.hits = 1;
    assert_true(show(client, &frame));
    // The count starts again in the next round.
    frame.tick++;
    frame.self.steers = true;
    frame.self.shots = frame.self.hits = 0;
    assert_true(show(client, &frame));
    assert_int_equal(raim_client_get_stats(client)->shots, 1);
    assert_int_equal(raim_client_get_stats(client)->hits, 1);
}

TEST(nothing_is_fired_in_a_break)
{
    struct raim_client *client = player_in_round();
    struct road road = {.x = 3200, .tick = FIRST_TICK, .held = true};
    struct raim_client_bullet seen[PLAYERS * SHOTS];
    for (int tick = 0; tick < 60; tick++) {
        step(&road, client);
        now_us += TICK_US;
        raim_client_interpolate(client, now_us);
        const size_t size = press_input(client, &(raim_input){.fire = 1, .aim = 5});
        assert_true(size == 0 || !read_message(size).inputs[0].fire);
        assert_int_equal(raim_client_interpolated_bullets(client, seen, PLAYERS * SHOTS), 0);
    }
}
