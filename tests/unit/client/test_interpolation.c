// SPDX-License-Identifier: MIT
// What a client draws of others that a script moves, while snapshots come as a network of chance
// brings them: it is the truth where that is known, and smooth where it is not.
#include "chance.h"
#include "client_fixture.h"

#include <limits.h>
#include <math.h>

enum { RUNNER = 3, STANDER = 7, TICKS = 3000, MAILS = 256, KEEP_ALIVE = 6 };

static const double own_ms = 1000.0 / TICK_HZ;

// The script: where the runner is as each tick begins, and how it came there.
static struct raim_wire_player script[TICKS];

// Runs for a while this way and for a while that way, inside the border.
static void write_script(int least_ticks, int most_ticks)
{
    const struct raim_wire_limits limits = limits_of_test();
    struct raim_wire_player runner = {.x = 16000, .y = 16000, .life = 1};
    int left = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        script[tick] = runner;
        if (left-- == 0) {
            left = chance_int(least_ticks, most_ticks);
            runner.direction = chance_int(0, RAIM_DIRECTIONS - 1);
        }
        const struct raim_wire_player next = raim_wire_predict_player(&limits, &runner, 1);
        if (next.x < 3200 || next.x > 28800 || next.y < 3200 || next.y > 28800) {
            left = 0;
            runner.direction = RAIM_DIRECTION_STAND;
        } else {
            runner = next;
        }
        runner.aim = (runner.aim + 3) % 1024;
    }
}

struct mail {
    uint64_t due_us; // 0: none
    uint32_t tick;
};

struct stage {
    struct raim_client *client;
    double latency_ms, jitter_ms, loss;
    uint64_t start_us;
    uint32_t sent;       // ticks of the script
    bool halves;         // sends only every second tick that the course does not differ in
    int lost, most_lost; // in a row
    struct mail mails[MAILS];
    bool is_cut;
};

static struct stage open_stage(double latency_ms, double jitter_ms, double loss)
{
    now_us = 1000000;
    return (struct stage){
        .client = spectator(),
        .latency_ms = latency_ms,
        .jitter_ms = jitter_ms,
        .loss = loss,
        .most_lost = INT_MAX,
        .start_us = now_us,
    };
}

static void show_tick(struct stage *stage, uint32_t tick)
{
    struct raim_wire_frame frame = empty_frame(FIRST_TICK + tick);
    frame.self = (raim_wire_self){.slot = RUNNER, .alive = true};
    raim_set_add(frame.seen_players, RUNNER);
    raim_set_add(frame.seen_players, STANDER);
    frame.players[RUNNER] = script[tick];
    frame.players[STANDER] = (raim_wire_player){.x = 4321, .y = 1234, .life = 2, .shield = 1};
    assert_true(show(stage->client, &frame));
}

static bool is_sent(const struct stage *stage, uint32_t tick)
{
    const struct raim_wire_limits limits = limits_of_test();
    if (tick % (stage->halves ? 2 : KEEP_ALIVE) == 0)
        return true;
    const struct raim_wire_player predicted =
        raim_wire_predict_player(&limits, &script[tick - 1], 1);
    return !raim_wire_same_course(&predicted, &script[tick]);
}

static void post(struct stage *stage, uint32_t tick)
{
    const double late_ms = stage->latency_ms + chance_between(0, stage->jitter_ms);
    const bool is_lost = chance_between(0, 1) < stage->loss && stage->lost < stage->most_lost;
    stage->lost = is_lost ? stage->lost + 1 : 0;
    if (stage->is_cut || is_lost)
        return;
    for (int i = 0; i < MAILS; i++)
        if (stage->mails[i].due_us == 0) {
            stage->mails[i] = (struct mail){now_us + (uint64_t)(late_ms * 1e3), tick};
            return;
        }
    fail();
}

// Time of the next tick or the next snapshot, but no later than `end_us`.
static uint64_t next_us(const struct stage *stage, uint64_t end_us)
{
    uint64_t next = stage->start_us + stage->sent * (uint64_t)1000000 / TICK_HZ;
    for (int i = 0; i < MAILS; i++)
        if (stage->mails[i].due_us != 0 && stage->mails[i].due_us < next)
            next = stage->mails[i].due_us;
    return stage->sent == TICKS || next > end_us ? end_us : next;
}

// To the next frame of a display of 144 Hz.
static void pass_frame(struct stage *stage)
{
    const uint64_t end_us = now_us + 6944;
    while (now_us < end_us) {
        now_us = next_us(stage, end_us);
        for (int i = 0; i < MAILS; i++)
            if (stage->mails[i].due_us != 0 && stage->mails[i].due_us <= now_us) {
                show_tick(stage, stage->mails[i].tick);
                stage->mails[i].due_us = 0;
            }
        if (stage->sent < TICKS &&
            now_us >= stage->start_us + stage->sent * (uint64_t)1000000 / TICK_HZ) {
            if (is_sent(stage, stage->sent))
                post(stage, stage->sent);
            stage->sent++;
        }
    }
    raim_client_interpolate(stage->client, now_us);
}

static raim_vec2 units_of(const struct raim_wire_player *player)
{
    return (raim_vec2){player->x / 32.0, player->y / 32.0};
}

// Where the script has the runner at the tick shown.
static raim_vec2 truth_at(double scene_tick)
{
    const double at = fmax(0, fmin(TICKS - 2, scene_tick - FIRST_TICK));
    const int tick = (int)at;
    const raim_vec2 from = units_of(&script[tick]), to = units_of(&script[tick + 1]);
    return raim_vec2_mad(from, raim_vec2_sub(to, from), at - tick);
}

static struct raim_client_player runner_of(const struct stage *stage)
{
    struct raim_client_player seen[PLAYERS];
    assert_int_equal(raim_client_interpolated_players(stage->client, seen, PLAYERS), 2);
    assert_int_equal(seen[0].slot, RUNNER);
    assert_int_equal(seen[1].slot, STANDER);
    assert_true(seen[1].position.x == 4321 / 32.0 && seen[1].velocity.x == 0 && seen[1].shielded);
    return seen[0];
}

static double distance(raim_vec2 a, raim_vec2 b)
{
    return raim_vec2_length(raim_vec2_sub(a, b));
}

static void pass_frames(struct stage *stage, int frames)
{
    for (int i = 0; i < frames; i++)
        pass_frame(stage);
    assert_true(raim_client_can_draw(stage->client));
}

TEST(what_was_reported_or_predicted_is_drawn_exactly)
{
    struct stage stage = open_stage(40, 0, 0);
    write_script(1, 40);
    pass_frames(&stage, 400);
    for (int i = 0; i < 3000; i++) {
        pass_frame(&stage);
        const double tick = raim_client_interpolated_tick(stage.client);
        const struct raim_client_player runner = runner_of(&stage);
        assert_true(distance(runner.position, truth_at(tick)) < 1e-6);
        const raim_vec2 eye = raim_client_eye(stage.client);
        assert_true(eye.x == runner.position.x && eye.y == runner.position.y);
        assert_true(raim_client_own_tick(stage.client) == tick);
    }
    // A tick, for there to be a snapshot on either side.
    const struct raim_client_quality quality = raim_client_get_quality(stage.client);
    assert_true(quality.jitter_ms < 1);
    assert_true(quality.interpolation_ms > own_ms - 1 && quality.interpolation_ms < own_ms + 2);
}

TEST(the_picture_waits_for_as_much_as_the_network_jitters)
{
    for (int jitter_ms = 5; jitter_ms <= 80; jitter_ms *= 2) {
        struct stage stage = open_stage(30, jitter_ms, 0);
        write_script(4, 40);
        pass_frames(&stage, 2000);
        const struct raim_client_quality quality = raim_client_get_quality(stage.client);
        assert_true(quality.jitter_ms > 0.7 * jitter_ms && quality.jitter_ms < jitter_ms + 1);
        assert_true(fabs(quality.interpolation_ms - own_ms - quality.jitter_ms) < 12);
    }
}

// With late and lost snapshots the interpolated time never goes back, and no player jumps.
static void assert_smooth(struct stage *stage, int frames, double least_pace, double most_speed)
{
    double tick = raim_client_interpolated_tick(stage->client);
    raim_vec2 position = runner_of(stage).position;
    for (int i = 0; i < frames; i++) {
        const uint64_t before_us = now_us;
        pass_frame(stage);
        const double ticks = (double)(now_us - before_us) * 1e-6 * TICK_HZ;
        const double passed = raim_client_interpolated_tick(stage->client) - tick;
        const struct raim_client_player runner = runner_of(stage);
        assert_true(passed >= least_pace * ticks);
        assert_true(passed <= 1.11 * ticks || least_pace == 0);
        assert_true(distance(runner.position, position) <= most_speed * ticks / TICK_HZ);
        tick += passed;
        position = runner.position;
    }
}

TEST(jitter_and_loss_make_nobody_leap)
{
    static const struct {
        double jitter_ms, loss;
    } lines[] = {{10, 0}, {30, 0.02}, {60, 0.05}, {20, 0.2}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct stage stage = open_stage(50, lines[i].jitter_ms, lines[i].loss);
        stage.most_lost = 3; // more is an outage, after which the picture leaps
        write_script(4, 40);
        pass_frames(&stage, 400);
        // Where some are lost it may stand still for want of news, and then has to catch up.
        // 0.6 s of running is the most that fades, at its begin within a tenth of a second; the
        // runner itself runs on at up to 1.1 of its pace.
        assert_smooth(&stage, 3000, lines[i].loss > 0 ? 0 : 0.89, (0.6 / 0.1 + 1.11) * 300);
    }
}

TEST(who_runs_on_is_drawn_running_on_whatever_gets_lost)
{
    const struct raim_wire_limits limits = limits_of_test();
    struct stage stage = open_stage(50, 40, 0.3);
    for (int tick = 0; tick < TICKS; tick++)
        script[tick] =
            (struct raim_wire_player){.x = 3200 + tick * limits.stride / 20, .y = 5000, .life = 1};
    // It runs at a twentieth of its pace: a step is told where it is made.
    pass_frames(&stage, 400);
    double x = runner_of(&stage).position.x;
    for (int i = 0; i < 3000; i++) {
        pass_frame(&stage);
        const double now = runner_of(&stage).position.x;
        assert_true(now >= x - 0.05);
        x = now;
    }
}

// The runner turns by this in a tick, in 16-bit binary angle.
enum { TURN = 3 * 64 };

// By how much a shown aim differs from the script's at the tick shown.
static double aim_error(const struct stage *stage)
{
    const double tick = raim_client_interpolated_tick(stage->client) - FIRST_TICK;
    return remainder(runner_of(stage).aim - TURN * tick, RAIM_ANGLE_TURN);
}

// The runner turns all around, through the angle at which the aim wraps.
TEST(an_aim_turns_evenly_over_ticks_that_were_left_out)
{
    struct stage stage = open_stage(40, 0, 0);
    stage.halves = true;
    write_script(TICKS, TICKS);
    pass_frames(&stage, 400);
    raim_angle aim = runner_of(&stage).aim;
    for (int i = 0; i < 3000; i++) {
        const uint64_t before_us = now_us;
        pass_frame(&stage);
        const double even = TURN * (double)(now_us - before_us) * 1e-6 * TICK_HZ;
        const raim_angle now = runner_of(&stage).aim;
        const int16_t turned = (int16_t)(now - aim);
        // In every second tick the client waits for the next snapshot, while the error fades.
        assert_true(turned > 0 && turned < 2 * even);
        assert_true(fabs(aim_error(&stage)) < 2 * TURN);
        aim = now;
    }
}

TEST(between_two_snapshots_an_aim_is_exact)
{
    struct stage stage = open_stage(100, 0, 0);
    stage.halves = true;
    write_script(TICKS, TICKS);
    pass_frames(&stage, 400);
    // For some seconds the picture still waits for snapshots that are as late as before.
    stage.latency_ms = 40;
    pass_frames(&stage, 60);
    for (int i = 0; i < 200; i++) {
        pass_frame(&stage);
        assert_true(fabs(aim_error(&stage)) <= 2);
    }
}

TEST(an_outage_is_bridged_for_a_quarter_of_a_second)
{
    struct stage stage = open_stage(40, 10, 0);
    write_script(100, 200);
    pass_frames(&stage, 600);
    stage.is_cut = true;
    pass_frames(&stage, 144);
    const double stopped = raim_client_interpolated_tick(stage.client);
    pass_frames(&stage, 20);
    assert_true(raim_client_interpolated_tick(stage.client) == stopped);
    assert_true(stopped < FIRST_TICK + stage.sent - TICK_HZ / 2);

    // It goes on where the truth is by now, without a leap of more than a frame's fading.
    stage.is_cut = false;
    raim_vec2 position = runner_of(&stage).position;
    for (int i = 0; i < 144; i++) {
        pass_frame(&stage);
        const struct raim_client_player runner = runner_of(&stage);
        const double leap = distance(runner.position, position);
        assert_true(leap < 300 * 1.2 * 0.25 + 12 || leap > 150); // beyond what is worth fading
        position = runner.position;
    }
    assert_true(distance(position, truth_at(raim_client_interpolated_tick(stage.client))) < 1);
    assert_true(raim_client_interpolated_tick(stage.client) > FIRST_TICK + stage.sent - 8);
}

TEST(another_life_is_another_place)
{
    struct stage stage = open_stage(40, 0, 0);
    for (int tick = 0; tick < TICKS; tick++)
        script[tick] = tick < 200 ? (struct raim_wire_player){.x = 5000, .y = 5000, .life = 1}
                                  : (struct raim_wire_player){.x = 9000, .y = 9000, .life = 2};
    pass_frames(&stage, 400);
    for (int i = 0; i < 200; i++) {
        pass_frame(&stage);
        const bool is_new = raim_client_interpolated_tick(stage.client) >= FIRST_TICK + 200;
        const struct raim_client_player runner = runner_of(&stage);
        assert_int_equal(runner.life, is_new ? 2 : 1);
        assert_true(runner.position.x == (is_new ? 9000 : 5000) / 32.0);
    }
}

// --- Bullets ---

struct shot {
    uint32_t place, tick; // it leaves (400, 500) units for +x when this tick begins
    uint8_t rewind;
};

static struct raim_wire_frame frame_with(uint32_t tick, const struct shot *shot)
{
    struct raim_wire_frame frame = empty_frame(tick);
    for (uint32_t place = 0; place < 2; place++) {
        raim_set_add(frame.seen_players, place);
        frame.players[place] = (raim_wire_player){.x = 400 * 32, .y = 500 * 32, .life = 1};
    }
    if (shot != NULL) {
        raim_set_add(frame.seen_bullets, shot->place);
        frame.bullets[shot->place] = (raim_wire_bullet){
            .x = 400 * 32, .y = 500 * 32, .tick = shot->tick, .rewind = shot->rewind};
    }
    return frame;
}

// Snapshots of every tick come as it begins, as if by no network, or, where it stalls, those of
// every first five of 20 ticks with the sixth. Each tick the client looks, and presses nothing.
static bool stalls;

static void show_ticks(struct raim_client *client, uint32_t from, uint32_t to,
                       const struct shot *shot)
{
    for (uint32_t tick = from; tick < to; tick++) {
        const bool waits = stalls && tick % 20 < 5;
        uint32_t first = stalls && tick % 20 == 5 ? tick - 5 : tick;
        now_us = 1000000 + tick * (uint64_t)1000000 / TICK_HZ;
        for (; !waits && first <= tick; first++) {
            const struct raim_wire_frame frame = frame_with(first, shot);
            assert_true(show(client, &frame));
        }
        raim_client_interpolate(client, now_us);
        while (raim_client_is_input_due(client, now_us))
            press_input(client, &(raim_input){.aim = 0});
    }
}

// The next press fires; returns what it says.
static struct raim_input_message fire(struct raim_client *client)
{
    while (!raim_client_is_input_due(client, now_us))
        now_us += 500;
    raim_client_interpolate(client, now_us);
    return read_message(press_input(client, &(raim_input){.fire = 1}));
}

static double muzzle_x(void)
{
    return 400 + raim_rules_default().player_radius;
}

TEST(a_bullet_of_others_leaves_its_muzzle_when_it_is_fired)
{
    const raim_rules rules = raim_rules_default();
    const double step = rules.bullet_speed / TICK_HZ;
    for (uint32_t rewind = 0; rewind <= MAX_REWIND; rewind += MAX_REWIND) {
        struct raim_client *client = player();
        struct raim_client_bullet seen[4];
        // Fired in tick 120, sent from tick 121 on, removed in tick 130.
        const struct shot shot = {.place = SHOTS, .tick = 120 - rewind, .rewind = (uint8_t)rewind};
        show_ticks(client, 100, 121, NULL);
        for (uint32_t tick = 121; tick < 140; tick++) {
            show_ticks(client, tick, tick + 1, tick < 130 ? &shot : NULL);
            const double shown = raim_client_interpolated_tick(client);
            const uint32_t count = raim_client_interpolated_bullets(client, seen, 4);
            assert_int_equal(count, shown >= 120 && shown < 130);
            if (count == 0)
                continue;
            const double x = muzzle_x() + step * (shown - shot.tick);
            assert_true(fabs(seen[0].position.x - x) < 1e-6 && seen[0].position.y == 500);
            assert_true(seen[0].velocity.x == rules.bullet_speed && seen[0].owner == 1);
        }
    }
}

static void fly_own_bullet(struct raim_client *client)
{
    const raim_rules rules = raim_rules_default();
    struct raim_client_bullet seen[4];
    show_ticks(client, 100, 207, NULL);
    const struct raim_input_message message = fire(client);

    // According to the server, the view was this many ticks younger.
    const double shown = raim_client_interpolated_tick(client);
    assert_int_equal(message.inputs[0].view_age, (int)floor(message.tick - shown + 0.5));
    assert_int_equal(message.inputs[1].view_age, 0);
    const struct shot shot = {.place = 0,
                              .tick = message.tick - message.inputs[0].view_age,
                              .rewind = message.inputs[0].view_age};

    // Before the server tells of it and after, it flies on without a break, and it ends where it
    // does among the others.
    for (uint32_t tick = 207; tick < 235; tick++) {
        show_ticks(client, tick, tick + 1, tick > message.tick && tick < 220 ? &shot : NULL);
        const double age = fmax(0, raim_client_interpolated_tick(client) - shot.tick);
        const uint32_t count = raim_client_interpolated_bullets(client, seen, 4);
        if (count == 0 && raim_client_interpolated_tick(client) >= 219)
            continue;
        assert_int_equal(count, 1);
        const double x = muzzle_x() + rules.bullet_speed / TICK_HZ * age;
        assert_true(fabs(seen[0].position.x - x) < 1e-6);
        assert_int_equal(seen[0].owner, OWN_SLOT);
    }
    assert_int_equal(raim_client_interpolated_bullets(client, seen, 4), 0);
}

TEST(an_own_bullet_leaves_at_once_among_what_is_shown)
{
    for (int i = 0; i < 2; i++) {
        struct raim_client *client = player();
        stalls = i == 1;
        fly_own_bullet(client);
        const double age_ms = raim_client_get_quality(client).view_delay_ms;
        assert_true(stalls ? age_ms > 80 : age_ms < 80);
    }
    stalls = false;
}

TEST(a_bullet_that_is_reported_late_still_waits_for_its_shot)
{
    struct raim_client *client = player();
    struct raim_client_bullet seen[4];
    const struct shot shot = {.place = SHOTS, .tick = 122};
    show_ticks(client, 100, 120, NULL);
    // Those between are lost.
    const struct raim_wire_frame frame = frame_with(124, &shot);
    assert_true(show(client, &frame));
    for (int i = 0; i < 20; i++) {
        now_us += 4000;
        raim_client_interpolate(client, now_us);
        const double shown = raim_client_interpolated_tick(client);
        assert_true(i > 0 || shown < 122);
        assert_int_equal(raim_client_interpolated_bullets(client, seen, 4), shown >= 122);
    }
}

TEST(a_shot_that_the_server_does_not_know_is_gone_as_soon_as_it_reports)
{
    struct raim_client *client = player();
    struct raim_client_bullet seen[4];
    show_ticks(client, 100, 140, NULL);
    const struct raim_input_message message = fire(client);
    show_ticks(client, 140, message.tick + 1, NULL);
    assert_int_equal(raim_client_interpolated_bullets(client, seen, 4), 1);
    show_ticks(client, message.tick + 1, message.tick + 2, NULL);
    assert_int_equal(raim_client_interpolated_bullets(client, seen, 4), 0);
}

static struct raim_client *player_before_a_wall(void)
{
    // From 440 to 460 units, right of where the shots come from.
    static const struct raim_wire_obstacle wall = {
        4, 0, {{14080, 12800}, {14720, 12800}, {14720, 19200}, {14080, 19200}}};
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    uint32_t written;
    message.obstacle_count = 1;
    assert_true(welcome(client, &message));
    assert_true(receive(client, raim_obstacles_write(&wall, 1, &written, bytes, sizeof bytes)));
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "one"}, 1));
    return client;
}

TEST(bullets_end_at_walls_before_the_server_reports)
{
    struct raim_client_bullet seen[4];
    struct raim_client *client = player_before_a_wall();
    show_ticks(client, 100, 140, NULL);
    fire(client);
    double x = 0;
    for (int i = 0; i < 20; i++) {
        now_us += 4000;
        raim_client_interpolate(client, now_us);
        const uint32_t count = raim_client_interpolated_bullets(client, seen, 4);
        x = count > 0 ? seen[0].position.x : x;
        assert_true(x < 440);
    }
    assert_true(x >= muzzle_x());
    assert_int_equal(raim_client_interpolated_bullets(client, seen, 4), 0);

    // Another's, of which no more snapshots tell.
    const struct shot shot = {.place = SHOTS, .tick = 138, .rewind = 0};
    client = player_before_a_wall();
    show_ticks(client, 100, 139, NULL);
    show_ticks(client, 139, 140, &shot);
    for (int i = 0; i < 50; i++) {
        now_us += 4000;
        raim_client_interpolate(client, now_us);
        if (raim_client_interpolated_bullets(client, seen, 4) > 0)
            assert_true(seen[0].position.x < 440);
    }
    assert_int_equal(raim_client_interpolated_bullets(client, seen, 4), 0);
}

// --- The own player ---

TEST(a_correction_fades)
{
    struct raim_client *client = player();
    struct raim_client_player seen[PLAYERS];
    show_ticks(client, 100, 140, NULL);
    struct raim_wire_frame frame = frame_with(140, NULL);
    frame.players[OWN_SLOT].y += 320; // moved by 10 units, as by another player
    now_us += 1000000 / TICK_HZ;
    assert_true(show(client, &frame));
    double off = 0;
    for (int i = 0; i <= 100; i++) {
        raim_client_interpolate(client, now_us);
        assert_int_equal(raim_client_interpolated_players(client, seen, PLAYERS), 2);
        const double now = fabs(seen[0].position.y - 510);
        assert_true(i == 0 ? fabs(now - 10) < 1e-6 : now <= off && off - now < 0.5);
        assert_true(seen[1].position.y == 500);
        assert_true(raim_client_eye(client).y == seen[0].position.y);
        off = now;
        now_us += 4000;
    }
    assert_true(off < 0.2);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    assert_int_equal(quality.mispredictions, 1);
    assert_true(quality.correction_units == 10 && quality.corrections_units == 10);
}

TEST(who_is_down_looks_from_where_it_fell)
{
    struct raim_client *client = player();
    struct raim_client_player seen[PLAYERS];
    show_ticks(client, 100, 140, NULL);
    for (uint32_t tick = 140; tick < 260; tick++) {
        struct raim_wire_frame frame = frame_with(tick, NULL);
        raim_set_remove(frame.seen_players, OWN_SLOT);
        frame.self.alive = false;
        frame.self.timer = (uint16_t)(300 - tick);
        now_us += 1000000 / TICK_HZ;
        assert_true(show(client, &frame));
        raim_client_interpolate(client, now_us);
        press(client);
        assert_int_equal(raim_client_interpolated_players(client, seen, PLAYERS), 1);
        assert_true(raim_client_eye(client).x == 400 && raim_client_eye(client).y == 500);
    }
    // It respawns elsewhere and appears there at once.
    struct raim_wire_frame frame = frame_with(260, NULL);
    frame.players[OWN_SLOT] = (raim_wire_player){.x = 9600, .y = 9600, .life = 2};
    now_us += 1000000 / TICK_HZ;
    assert_true(show(client, &frame));
    raim_client_interpolate(client, now_us);
    assert_int_equal(raim_client_interpolated_players(client, seen, PLAYERS), 2);
    assert_true(seen[0].position.y == 300 && raim_client_eye(client).y == 300);
    assert_int_equal(raim_client_get_quality(client).mispredictions, 0);
}

TEST(there_is_nothing_to_draw_before_a_snapshot)
{
    struct raim_client *client = player();
    struct raim_client_player seen[PLAYERS];
    struct raim_client_bullet flying[4];
    raim_client_interpolate(client, now_us);
    assert_false(raim_client_can_draw(client));
    assert_int_equal(raim_client_interpolated_players(client, seen, PLAYERS), 0);
    assert_int_equal(raim_client_interpolated_bullets(client, flying, 4), 0);
    // The middle of the arena.
    assert_true(raim_client_eye(client).x == 500 && raim_client_eye(client).y == 500);
}
