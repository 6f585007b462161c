// SPDX-License-Identifier: MIT
// Interest management in a match: a client receives what it could come to see, and nothing else.
#include "view_fixture.h"

#include <math.h>

static struct raim_match_def usual_def(void)
{
    struct raim_match_def def = raim_match_default_def();
    def.tuning.max_players = 8;
    def.seed = raim_random_next(&chance);
    return def;
}

// A wall in the middle of the map.
static struct raim_map *walled_map(void)
{
    const raim_box wall = {{-20, -100}, {20, 100}};
    return fixture_map(&wall, 1);
}

static struct stage *open_with_two(struct raim_map *map, struct raim_match_def def, raim_vec2 a,
                                   raim_vec2 b)
{
    struct stage *stage = stage_open(map, def);
    stage_join(stage, 0);
    stage_join(stage, 1);
    stage_ticks(stage, 3);
    stage_put(stage, stage_slot(stage, 0), a);
    stage_put(stage, stage_slot(stage, 1), b);
    stage_ticks(stage, 40); // for latencies to settle
    return stage;
}

// An input of the first viewer for some ticks ahead, as another one would write it.
static void stage_input(struct stage *stage, const struct viewer *viewer, uint32_t ahead)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    raim_match_receive(stage->match, 0, false, bytes,
                       stage_write_input(viewer, stage->match->world->tick + ahead, bytes));
}

// Two players in the open who see each other.
static struct stage *open_pair(void)
{
    return open_with_two(fixture_map(NULL, 0), usual_def(), (raim_vec2){-300, 0},
                         (raim_vec2){300, 0});
}

TEST(a_hidden_player_is_not_on_the_wire_and_comes_before_it_can_be_seen)
{
    struct stage *stage =
        open_with_two(walled_map(), usual_def(), (raim_vec2){-300, 0}, (raim_vec2){300, 0});
    const int latency = (int)raim_snapshots_latency(stage->match, &stage->match->connections[0]);
    int first_reported = 0, first_seen = 0;
    stage->viewers[1].pressed.move_y = 1;
    for (int i = 1; first_seen == 0; i++) {
        stage_tick(stage);
        const bool told = stage_has(stage, 0, stage_slot(stage, 1));
        first_reported = first_reported == 0 && told ? i : first_reported;
        assert_true(told || first_reported == 0);
        if (raim_map_sees_circle(stage->map, stage_player(stage, 0)->position,
                                 stage_player(stage, 1)->position, 20))
            first_seen = i;
    }
    // It becomes visible after half a second. It is sent earlier by the time that both could gain
    // by running.
    assert_true(first_seen > 20);
    assert_true(first_reported >= first_seen - 3 * latency);
    assert_true(first_reported <= first_seen - latency);
}

static void compare_views(uint32_t width, uint32_t height, bool sight)
{
    struct raim_match_def def = usual_def();
    def.view_width = width;
    def.view_height = height;
    def.sight = sight;
    struct stage *stage =
        open_with_two(fixture_map(NULL, 0), def, (raim_vec2){-400, 0}, (raim_vec2){-400, 100});
    const double latency = raim_snapshots_latency(stage->match, &stage->match->connections[0]);
    const double most_x = width / 2.0 + 20 + 2 * 5 * latency;
    const double most_y = height / 2.0 + 20 + 2 * 5 * latency;
    for (int i = 0; i < 4; i++) {
        const double off = i % 2 == 0 ? 1 : -1; // beyond, within
        const raim_vec2 away = i < 2 ? (raim_vec2){most_x + off, 0} : (raim_vec2){0, most_y + off};
        const raim_vec2 from = {-900, -900};
        stage_put(stage, stage_slot(stage, 0), from);
        stage_put(stage, stage_slot(stage, 1), raim_vec2_add(from, away));
        stage_ticks(stage, 2);
        assert_int_equal(stage_has(stage, 0, stage_slot(stage, 1)), off < 0);
        assert_int_equal(stage_has(stage, 1, stage_slot(stage, 0)), off < 0);
    }
}

TEST(everybody_has_the_view_that_the_arena_says)
{
    compare_views(1600, 861, true);
    compare_views(1600, 861, false);
    compare_views(900, 500, true);
    compare_views(100, 100, true);
}

// Plays at random and checks every client in every tick.
static void play(struct stage *stage, int count,
                 void (*check)(const struct stage *stage, uint32_t handle))
{
    for (uint32_t i = 0; i < 6; i++)
        stage_join(stage, i);
    for (int i = 0; i < count; i++) {
        for (uint32_t handle = 0; handle < 6; handle++)
            if (chance_int(0, 9) == 0)
                stage->viewers[handle].pressed = (raim_wire_input){
                    .move_x = (int8_t)chance_int(-1, 1),
                    .move_y = (int8_t)chance_int(-1, 1),
                    .fire = true,
                    .aim = (uint16_t)chance_int(0, 65535),
                };
        stage_tick(stage);
        for (uint32_t handle = 0; handle < 6 && i > 3; handle++)
            check(stage, handle);
    }
}

static void check_reach(const struct stage *stage, uint32_t handle)
{
    const struct raim_world *world = stage->match->world;
    const struct raim_match_def *def = &stage->match->def;
    struct raim_sent_view *shown = stage_shown(stage, handle);
    const raim_vec2 eye = stage_player(stage, handle)->position;
    const double latency_s =
        raim_snapshots_latency(stage->match, &stage->match->connections[handle]) /
        (double)def->tick_hz;
    const double run = def->rules.player_speed * latency_s;
    const double flight = def->rules.bullet_speed * latency_s;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = &raim_world_players_const(world)[slot];
        if (!raim_set_has(shown->players, slot))
            continue;
        assert_int_equal(player->state, RAIM_PLAYER_ALIVE);
        assert_true(fabs(player->position.x - eye.x) <= def->view_width / 2.0 + 20 + 2 * run);
        assert_true(fabs(player->position.y - eye.y) <= def->view_height / 2.0 + 20 + 2 * run);
    }
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
        if (!raim_set_has(raim_sent_view_bullets(&stage->limits, shown), slot))
            continue;
        assert_true(bullet->owner != RAIM_NOBODY);
        const raim_vec2 at = raim_bullet_position(&def->rules, bullet, world->tick, world->tick_hz);
        assert_true(fabs(at.x - eye.x) <= def->view_width / 2.0 + 4.1 + run + flight);
        assert_true(fabs(at.y - eye.y) <= def->view_height / 2.0 + 4.1 + run + flight);
    }
}

TEST(nothing_beyond_the_view_and_its_reach_is_told)
{
    struct raim_match_def def = usual_def();
    def.view_width = 700;
    def.view_height = 400;
    play(stage_open(walled_map(), def), 1500, check_reach);
    def.sight = false;
    play(stage_open(walled_map(), def), 500, check_reach);
}

// Every entity in plain sight and the client's own player are contained.
static void check_plain(const struct stage *stage, uint32_t handle)
{
    const struct raim_world *world = stage->match->world;
    const struct raim_match_def *def = &stage->match->def;
    struct raim_sent_view *shown = stage_shown(stage, handle);
    const raim_player *self = stage_player(stage, handle);
    assert_int_equal(raim_set_has(shown->players, stage_slot(stage, handle)),
                     self->state == RAIM_PLAYER_ALIVE);
    assert_true(shown->self.steers && shown->self.slot == stage_slot(stage, handle));
    if (self->state != RAIM_PLAYER_ALIVE && self->deaths == 0)
        return;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *player = &raim_world_players_const(world)[slot];
        const bool is_near = fabs(player->position.x - self->position.x) <= def->view_width / 2.0 &&
                             fabs(player->position.y - self->position.y) <= def->view_height / 2.0;
        if (player->state == RAIM_PLAYER_ALIVE && is_near &&
            (!def->sight || raim_map_sees_circle(stage->map, self->position, player->position, 20)))
            assert_true(raim_set_has(shown->players, slot));
    }
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
        if (bullet->owner == RAIM_NOBODY)
            continue;
        const raim_vec2 at = raim_bullet_position(&def->rules, bullet, world->tick, world->tick_hz);
        if (fabs(at.x - self->position.x) <= def->view_width / 2.0 &&
            fabs(at.y - self->position.y) <= def->view_height / 2.0 &&
            (!def->sight || raim_map_sees_circle(stage->map, self->position, at, 4)))
            assert_true(raim_set_has(raim_sent_view_bullets(&stage->limits, shown), slot));
    }
}

TEST(what_is_in_plain_sight_is_told_and_oneself_always)
{
    struct raim_match_def def = usual_def();
    play(stage_open(walled_map(), def), 1500, check_plain);
    def.sight = false;
    play(stage_open(walled_map(), def), 500, check_plain);
}

// The EVENTS message of a tick in which one player destroys another at a position.
static size_t events_of_kill(raim_vec2 where, uint8_t *bytes)
{
    struct raim_match_def def = raim_match_default_def();
    def.tuning.max_players = 3;
    struct stage *stage = stage_open(walled_map(), def);
    for (uint32_t i = 0; i < 3; i++)
        stage_join(stage, i);
    stage_ticks(stage, 3);
    stage_put(stage, stage_slot(stage, 0), (raim_vec2){-900, 0});
    stage_put(stage, stage_slot(stage, 1), where);
    stage_put(stage, stage_slot(stage, 2), raim_vec2_add(where, (raim_vec2){0, 60}));
    stage->viewers[1].pressed = (raim_wire_input){.fire = true, .aim = RAIM_ANGLE_TURN / 4};
    size_t size = 0;
    for (int i = 0; i < 10; i++) {
        struct raim_outgoing out;
        stage_send(stage, 1);
        raim_match_step(stage->match);
        while (raim_match_outgoing(stage->match, &out)) {
            raim_reader reader = raim_reader_make(out.data, out.size);
            struct raim_events_message events;
            if (raim_message_read(&reader) != RAIM_MESSAGE_EVENTS || out.client != 0 || size > 0)
                continue; // of no event, or repeated
            assert_true(raim_events_read(&reader, &events));
            size = reader.offset / 8; // without the snapshot
            memcpy(bytes, out.data, size);
        }
    }
    return size;
}

TEST(events_tell_no_places)
{
    uint8_t here[RAIM_MAX_MESSAGE_BYTES], there[RAIM_MAX_MESSAGE_BYTES];
    const size_t size = events_of_kill((raim_vec2){500, 500}, here);
    assert_true(size > 0);
    assert_int_equal(events_of_kill((raim_vec2){900, -700}, there), size);
    assert_memory_equal(here, there, size);
}

TEST(where_nothing_happens_ten_snapshots_a_second_are_sent)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 64);
    const uint32_t before = stage->viewers[0].told;
    for (int i = 0; i < 60; i++) {
        stage_tick(stage);
        // A frame that was not sent equals the client's prediction.
        struct raim_wire_frame now =
            *raim_history_at(&stage->match->interest.history, stage->match->world->tick);
        struct raim_sent_view *shown = stage_shown(stage, 0);
        now.self = shown->self;
        now.seen_players = shown->players;
        now.seen_bullets = raim_sent_view_bullets(&stage->limits, shown);
        const struct viewer *viewer = &stage->viewers[0];
        const struct raim_wire_frame *newest =
            &viewer->frames[viewer->newest % stage->limits.history];
        assert_true(raim_wire_is_predicted(&stage->limits, newest, &now));
    }
    assert_int_equal(stage->viewers[0].told - before, 10);
}

TEST(news_are_sent_until_they_are_acknowledged)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 20);
    stage->viewers[0].keeps_acks = true;
    stage->viewers[1].pressed.aim = 12345; // and stays so
    stage_tick(stage);
    stage_tick(stage);
    const uint32_t before = stage->viewers[0].told;
    stage_ticks(stage, 30);
    assert_int_equal(stage->viewers[0].told - before, 15); // every second tick, as for aims
    stage->viewers[0].keeps_acks = false;
    stage_ticks(stage, 2);
    const uint32_t after = stage->viewers[0].told;
    stage_ticks(stage, 5);
    assert_true(stage->viewers[0].told - after <= 1);
}

// A tick in which another player turns its aim, and no snapshot is needed for anything else.
// Returns whether the first viewer received one.
static bool turn(struct stage *stage)
{
    const uint32_t before = stage->viewers[0].told;
    stage->viewers[1].pressed.aim += 500;
    stage_tick(stage);
    return stage->viewers[0].told > before;
}

// Whether the first viewer's picture of the second one, received or predicted, is where it is.
static bool has_exact(const struct stage *stage)
{
    const struct viewer *viewer = &stage->viewers[0];
    const uint32_t slot = stage_slot(stage, 1);
    const struct raim_wire_frame *newest = &viewer->frames[viewer->newest % stage->limits.history];
    const struct raim_wire_player predicted = raim_wire_predict_player(
        &stage->limits, &newest->players[slot], stage->match->world->tick - newest->tick);
    const raim_vec2 position = stage_player(stage, 1)->position;
    return predicted.x == position.x * RAIM_WIRE_UNITS &&
           predicted.y == position.y * RAIM_WIRE_UNITS;
}

TEST(of_ticks_that_bring_nothing_but_aims_every_second_is_left_out)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 100); // shields run down
    uint32_t sent = 0;
    bool was_sent = turn(stage);
    for (int i = 0; i < 600; i++) {
        const bool is_sent = turn(stage);
        assert_true(is_sent || was_sent);
        sent += is_sent;
        was_sent = is_sent;
    }
    // Each change of the margin may add a snapshot or two.
    assert_true(sent >= 300 && sent < 310);
}

TEST(a_change_is_sent_at_once_and_again_in_the_next_tick)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 100);
    static const int8_t ways[] = {0, 1, 0, -1};
    int left_out = 0, way = 0;
    for (int i = 0; i < 300; i++) {
        const bool is_turn = i % 10 == i / 150; // in ticks of both kinds
        if (is_turn)
            stage->viewers[1].pressed.move_y = ways[++way % 4];
        left_out += !turn(stage);
        assert_true(has_exact(stage));
        if (!is_turn)
            continue;
        // The input that was sent in this tick is played in the next one.
        assert_true(turn(stage) && has_exact(stage));
        assert_true(turn(stage) && has_exact(stage));
        i += 2;
    }
    assert_true(left_out > 50);
}

TEST(a_message_with_events_has_the_aims_too)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 100);
    turn(stage); // the first turn is played in the next tick
    for (int i = 0; i < 1200; i++) {
        const bool is_event = i % 101 == 0; // in ticks of both kinds
        if (is_event)
            assert_true(raim_match_say(stage->match, "hello"));
        assert_true(turn(stage) || !is_event);
    }
}

static uint64_t rejected(const struct stage *stage, enum raim_rejection rejection)
{
    return raim_match_counts(stage->match).rejected[rejection];
}

static void acknowledge(struct stage *stage, uint32_t tick)
{
    struct viewer liar = {.has_named = true, .name = tick};
    stage_input(stage, &liar, 1);
}

TEST(only_snapshots_that_were_sent_can_be_acknowledged)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 128);
    const struct raim_connection *client = &stage->match->connections[0];
    const uint32_t now = stage->match->world->tick;
    uint32_t skipped = 0;
    for (uint32_t tick = now - stage->limits.history + 1; tick != now + 1; tick++)
        if (!raim_sent_view_at(&stage->match->interest, client, tick)->sent)
            skipped = tick;
    assert_true(skipped != 0);
    const uint32_t acked = client->acked_tick;
    acknowledge(stage, now + 1);
    acknowledge(stage, now + 1000);
    acknowledge(stage, skipped);
    assert_int_equal(rejected(stage, RAIM_REJECTED_ACK), 3);
    // Repeated, older and outdated acknowledgements are all accepted.
    acknowledge(stage, acked);
    acknowledge(stage, client->sent_tick);
    acknowledge(stage, acked);
    acknowledge(stage, now - stage->limits.history);
    acknowledge(stage, now - 1000000);
    assert_int_equal(rejected(stage, RAIM_REJECTED_ACK), 3);
    assert_true(raim_tick_diff(client->acked_tick, acked) >= 0);
    stage_ticks(stage, 20); // and every snapshot can be read
    // A client cannot acknowledge snapshots of another client or of an earlier one with its handle.
    stage_leave(stage, 0);
    stage_join(stage, 0);
    acknowledge(stage, now);
    assert_int_equal(rejected(stage, RAIM_REJECTED_ACK), 4);
}

TEST(an_input_without_a_snapshot_makes_the_next_one_whole)
{
    struct stage *stage = open_pair();
    stage_ticks(stage, 64);
    struct viewer *viewer = &stage->viewers[0];
    const struct viewer forgetful = {0};
    memset(viewer->has, 0, sizeof viewer->has); // no baseline that it could read against
    stage_input(stage, &forgetful, 1);
    const uint32_t before = viewer->told;
    stage_tick(stage);
    assert_int_equal(viewer->told - before, 1);
    stage_ticks(stage, 20);
}

TEST(a_feigned_latency_shows_no_more_than_a_quarter_of_a_second)
{
    struct stage *stage = open_pair();
    struct viewer *liar = &stage->viewers[0];
    liar->keeps_acks = true;
    liar->has_named = false;
    for (int i = 0; i < 600; i++) {
        // Acknowledges each snapshot a second late, in inputs for a second ahead.
        stage_tick(stage);
        const uint32_t late = stage->match->world->tick - stage->limits.history + 2;
        liar->has_named =
            raim_sent_view_at(&stage->match->interest, &stage->match->connections[0], late)->sent;
        liar->name = late;
        stage->viewers[1].pressed.aim += 100; // so that every tick needs a snapshot
        stage_input(stage, liar, 60);
    }
    assert_int_equal(raim_snapshots_latency(stage->match, &stage->match->connections[0]), 15);
    stage_put(stage, stage_slot(stage, 0), (raim_vec2){-900, 0});
    stage_put(stage, stage_slot(stage, 1), (raim_vec2){-900 + 800 + 20 + 2 * 75 + 1, 0});
    stage_tick(stage);
    assert_false(raim_set_has(stage_shown(stage, 0)->players, stage_slot(stage, 1)));
    // Once it acknowledges honestly, its latency soon falls.
    liar->keeps_acks = false;
    stage_ticks(stage, 150);
    assert_true(raim_snapshots_latency(stage->match, &stage->match->connections[0]) <= 5);
}

TEST(the_latency_is_from_a_snapshot_to_the_input_that_knew_it)
{
    struct stage *stage = open_pair();
    const struct raim_connection *client = &stage->match->connections[0];
    // The next tick plays the input made on seeing this one: a tick, and 50 ms of interpolation.
    assert_true(client->latency_ticks == 1);
    assert_int_equal(raim_snapshots_latency(stage->match, client), 4);
}

TEST(rare_snapshots_look_further_ahead_but_not_for_a_clock_that_is_fast)
{
    struct stage *stage = open_pair();
    const struct raim_connection *client = &stage->match->connections[0];
    raim_match_set_snapshot_interval(stage->match, 4);
    assert_int_equal(raim_snapshots_latency(stage->match, client), 4 + 3);
    struct viewer *fast = &stage->viewers[0];
    fast->keeps_acks = true;
    for (int i = 0; i < 600; i++) {
        stage_tick(stage);
        stage->viewers[1].pressed.aim += 100; // so that every tick needs a snapshot
        fast->has_named = true;
        fast->name = fast->newest;
        stage_input(stage, fast, 60);
    }
    assert_int_equal(rejected(stage, RAIM_REJECTED_ACK), 0);
    // The present tick, two that inputs may be early, 50 ms of interpolation, and the interval.
    assert_int_equal(raim_snapshots_latency(stage->match, client), 1 + 2 + 3 + 3);
}

// Hundreds of running and shooting players in one view exceed a message.
TEST(in_a_crowd_nobody_waits_longer_than_a_quarter_of_a_second)
{
    enum { BOTS = 600, PATIENCE = 15 };
    struct raim_match_def def = usual_def();
    def.bots = BOTS;
    def.sight = false;
    def.rules.player_radius = 4;
    def.rules.spawn_protection = 30;
    raim_vec2 spawns[200];
    for (int i = 0; i < 200; i++)
        spawns[i] = (raim_vec2){-700 + i % 20 * 70, -350 + i / 20 * 70};
    const struct raim_map_def map = {.name = "crowd",
                                     .border = {{-780, -400}, {780, 400}},
                                     .spawns = spawns,
                                     .spawn_count = 200};
    struct raim_map_problem problem;
    struct stage *stage = stage_open(raim_map_create(&map, &problem), def);
    static uint32_t untold[BOTS + 8];
    uint32_t longest = 0, left_out = 0;
    stage_join(stage, 0);
    for (int i = 0; i < 400; i++) {
        stage->viewers[0].keeps_acks = i % 8 != 0; // so that much has changed since the baseline
        if (i % 50 == 10)
            stage_put(stage, stage_slot(stage, 0), (raim_vec2){0, 0});
        stage_tick(stage);
        const struct raim_player *self = stage_player(stage, 0);
        const struct raim_world *world = stage->match->world;
        if (!stage->viewers[0].any)
            continue;
        struct raim_sent_view *shown = stage_shown(stage, 0);
        assert_int_equal(raim_set_has(shown->players, stage_slot(stage, 0)),
                         self->state == RAIM_PLAYER_ALIVE);
        for (uint32_t slot = 0; slot < world->max_players; slot++) {
            const raim_player *player = &raim_world_players_const(world)[slot];
            const bool is_due = player->state == RAIM_PLAYER_ALIVE &&
                                fabs(player->position.x - self->position.x) <= 800 &&
                                fabs(player->position.y - self->position.y) <= 430;
            const bool told = raim_set_has(shown->players, slot);
            untold[slot] = is_due && !told ? untold[slot] + 1 : 0;
            longest = untold[slot] > longest ? untold[slot] : longest;
            left_out += is_due && !told;
        }
    }
    assert_true(left_out > 1000); // not all fitted
    assert_true(longest <= PATIENCE);
    assert_true(stage->largest > RAIM_MAX_MESSAGE_BYTES - 16);
}

// So many slow bullets that even their removal exceeds a message.
TEST(a_rain_of_bullets_never_outgrows_a_message)
{
    struct raim_match_def def = usual_def();
    def.tuning.max_players = VIEWERS;
    def.rules.bullet_speed = 50;
    def.rules.bullet_lifetime = 10;
    def.rules.fire_cooldown = 0.02;
    def.rules.respawn_delay = 0;
    def.rules.player_speed = 10;
    def.rules.player_radius = 4;
    def.rules.bullet_radius = 0.5;
    // All players in one view, few colliding.
    raim_vec2 spawns[32];
    for (int i = 0; i < 32; i++)
        spawns[i] = (raim_vec2){-700 + i % 8 * 200, -300 + i / 8 * 200};
    const struct raim_map_def map = {
        .name = "rain", .border = {{-780, -400}, {780, 400}}, .spawns = spawns, .spawn_count = 32};
    struct raim_map_problem problem;
    struct stage *stage = stage_open(raim_map_create(&map, &problem), def);
    for (uint32_t i = 0; i < VIEWERS; i++)
        stage_join(stage, i);
    for (int i = 0; i < 620; i++) {
        for (uint32_t handle = 0; handle < VIEWERS; handle++) {
            stage->viewers[handle].pressed.fire = true;
            stage->viewers[handle].pressed.aim += 4001;
            stage->viewers[handle].keeps_acks = i % 20 != 0;
        }
        stage_tick(stage);
    }
    assert_true(stage->largest > RAIM_MAX_MESSAGE_BYTES - 16);
}
