// SPDX-License-Identifier: MIT
// What a client sees: chooses the entities inside its view and writes them as a snapshot.
#include "state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Beyond the view so much is told, in seconds of the fastest closing motion, that what comes into
// view is on the wire before it is on the screen.
static const double margin_s = 0.15;

void raim_view_prepare(struct raim_match *match)
{
    const struct raim_world *world = match->world;
    const raim_bullet *bullets = raim_world_bullets_const(world);
    for (uint32_t place = 0; place < world->max_bullets; place++)
        if (bullets[place].owner != RAIM_NOBODY)
            match->bullet_positions[place] =
                raim_bullet_position(&bullets[place], world->tick, world->tick_hz);
}

enum raim_refusal raim_view_acknowledge(const struct raim_match *match, struct raim_connection *client,
                                        uint32_t tick)
{
    const int32_t age = raim_tick_diff(match->world->tick, tick);
    if (age >= RAIM_SNAPSHOT_HISTORY)
        return RAIM_REFUSALS; // true once, useless now
    const struct raim_shown *shown = &client->shown[tick % RAIM_SNAPSHOT_HISTORY];
    if (age < 0 || !shown->valid || shown->tick != tick)
        return RAIM_REFUSED_ACK;
    if (!client->has_acked || raim_tick_diff(tick, client->acked_tick) > 0) {
        client->has_acked = true;
        client->acked_tick = tick;
    }
    return RAIM_REFUSALS;
}

// Half the size of the box around a player inside which an entity is told.
static raim_vec2 reach_of(const raim_rules *rules, double radius, double speed)
{
    const double margin = radius + (speed + rules->player_speed) * margin_s;
    return (raim_vec2){RAIM_VIEW_WIDTH / 2.0 + margin, RAIM_VIEW_HEIGHT / 2.0 + margin};
}

static void find_visible(const struct raim_match *match, const struct raim_connection *client,
                         struct raim_shown *shown)
{
    const struct raim_world *world = match->world;
    const raim_rules *rules = &world->rules;
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    const uint32_t own_place = raim_player_place(client->player);
    const raim_vec2 eye = players[own_place].position;
    memset(shown->players, 0, raim_set_words(world->max_players) * sizeof(uint64_t));
    memset(shown->bullets, 0, raim_set_words(world->max_bullets) * sizeof(uint64_t));

    // Who has never risen stands nowhere and sees nothing yet.
    if (players[own_place].deaths == 0 && players[own_place].state != RAIM_PLAYER_ALIVE)
        return;
    const raim_vec2 near = reach_of(rules, rules->player_radius, rules->player_speed);
    for (uint32_t place = 0; place < world->max_players; place++)
        if (players[place].state == RAIM_PLAYER_ALIVE &&
            fabs(players[place].position.x - eye.x) <= near.x &&
            fabs(players[place].position.y - eye.y) <= near.y)
            raim_set_add(shown->players, place);
    const raim_vec2 far = reach_of(rules, rules->bullet_radius, rules->bullet_speed);
    for (uint32_t place = 0; place < world->max_bullets; place++)
        if (bullets[place].owner != RAIM_NOBODY &&
            fabs(match->bullet_positions[place].x - eye.x) <= far.x &&
            fabs(match->bullet_positions[place].y - eye.y) <= far.y)
            raim_set_add(shown->bullets, place);
}

static raim_wire_self self_of(const raim_player *player)
{
    const bool alive = player->state == RAIM_PLAYER_ALIVE;
    return (raim_wire_self){
        .alive = alive,
        .timer = alive ? player->cooldown_ticks : player->respawn_ticks,
        .shots = (uint8_t)player->shots,
        .hits = (uint8_t)player->hits,
    };
}

static struct raim_wire_frame wire_frame(struct raim_match *match, struct raim_shown *shown)
{
    struct raim_wire_frame frame = *raim_history_at(&match->history, shown->tick);
    assert(frame.tick == shown->tick);
    frame.self = shown->self;
    frame.seen_players = shown->players;
    frame.seen_bullets = shown->bullets;
    return frame;
}

static int by_distance(const void *a, const void *b)
{
    const double *first = a, *second = b; // the distance stands first
    return (*first > *second) - (*first < *second);
}

// Takes out of the frame what the budget has no room for, farthest first; oneself always stays.
static void thin_out(struct raim_match *match, const struct raim_connection *client,
                     const struct raim_wire_frame *baseline, struct raim_wire_frame *frame,
                     size_t capacity)
{
    const struct raim_wire_limits *limits = &match->history.limits;
    const raim_player *players = raim_world_players_const(match->world);
    const uint32_t own_place = raim_player_place(client->player);
    const raim_vec2 eye = players[own_place].position;
    size_t bits = RAIM_SNAPSHOT_FIXED_BITS;
    uint32_t count = 0;

    for (uint32_t place = 0; place < limits->players; place++) {
        const bool known = baseline != NULL && raim_set_has(baseline->seen_players, place);
        if (raim_set_has(frame->seen_players, place)) {
            match->crowd[count].distance =
                place == own_place ? -1
                                   : raim_vec2_distance_squared(players[place].position, eye);
            match->crowd[count].is_bullet = false;
            match->crowd[count++].place = place;
        }
        bits += known ? 2 : 0; // to say that it is gone, the most that leaving it out costs
    }
    for (uint32_t place = 0; place < limits->bullets; place++) {
        const bool known = baseline != NULL && raim_set_has(baseline->seen_bullets, place);
        if (raim_set_has(frame->seen_bullets, place)) {
            match->crowd[count].distance =
                raim_vec2_distance_squared(match->bullet_positions[place], eye);
            match->crowd[count].is_bullet = true;
            match->crowd[count++].place = place;
        }
        bits += known ? 2 : 0;
    }
    qsort(match->crowd, count, sizeof match->crowd[0], by_distance);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = match->crowd[i].place;
        const bool is_bullet = match->crowd[i].is_bullet;
        const uint32_t cost = is_bullet
                                  ? raim_snapshot_bullet_bits(limits, baseline, frame, place)
                                  : raim_snapshot_player_bits(limits, baseline, frame, place);
        if (bits + cost <= capacity * 8)
            bits += cost;
        else
            raim_set_remove(is_bullet ? frame->seen_bullets : frame->seen_players, place);
    }
}

size_t raim_view_write(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                       size_t capacity)
{
    const struct raim_world *world = match->world;
    struct raim_shown *shown = &client->shown[world->tick % RAIM_SNAPSHOT_HISTORY];
    shown->tick = world->tick;
    shown->valid = true;
    shown->self = self_of(&raim_world_players_const(world)[raim_player_place(client->player)]);
    find_visible(match, client, shown);
    struct raim_wire_frame frame = wire_frame(match, shown);

    struct raim_snapshot_header header = {.tick = world->tick};
    const int32_t margin = client->inbox.any ? client->inbox.margin : 0;
    header.margin = margin > RAIM_MAX_MARGIN    ? RAIM_MAX_MARGIN
                    : margin < -RAIM_MAX_MARGIN ? -RAIM_MAX_MARGIN
                                                : margin;
    struct raim_wire_frame baseline;
    const int32_t age = raim_tick_diff(world->tick, client->acked_tick);
    if (client->has_acked && age < RAIM_SNAPSHOT_HISTORY) {
        header.baseline_age = (uint32_t)age;
        baseline = wire_frame(match, &client->shown[client->acked_tick % RAIM_SNAPSHOT_HISTORY]);
    }
    const struct raim_wire_frame *from = header.baseline_age != 0 ? &baseline : NULL;
    const struct raim_wire_limits *limits = &match->history.limits;
    size_t size = raim_snapshot_write(&header, limits, from, &frame, bytes, capacity);
    if (size == 0) {
        thin_out(match, client, from, &frame, capacity);
        size = raim_snapshot_write(&header, limits, from, &frame, bytes, capacity);
    }
    if (size == 0) {
        // To say that so much is gone takes more than there is: begin anew, without a baseline.
        header.baseline_age = 0;
        find_visible(match, client, shown);
        thin_out(match, client, NULL, &frame, capacity);
        size = raim_snapshot_write(&header, limits, NULL, &frame, bytes, capacity);
    }
    return size;
}
