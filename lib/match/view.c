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
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    match->walking_count = 0;
    for (uint32_t place = 0; place < world->max_players; place++)
        if (players[place].state == RAIM_PLAYER_ALIVE)
            match->walking[match->walking_count++] =
                (struct raim_sighting){players[place].position, place};
    match->flying_count = 0;
    for (uint32_t place = 0; place < world->max_bullets; place++)
        if (bullets[place].owner != RAIM_NOBODY)
            match->flying[match->flying_count++] = (struct raim_sighting){
                raim_bullet_position(&bullets[place], world->tick, world->tick_hz), place};
}

enum raim_refusal raim_view_acknowledge(const struct raim_match *match,
                                        struct raim_connection *client, uint32_t tick)
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

// Adds what is within reach to a set of places.
static void add_near(const struct raim_sighting *sightings, uint32_t count, raim_vec2 eye,
                     raim_vec2 reach, uint64_t *set)
{
    for (uint32_t i = 0; i < count; i++)
        if (fabs(sightings[i].position.x - eye.x) <= reach.x &&
            fabs(sightings[i].position.y - eye.y) <= reach.y)
            raim_set_add(set, sightings[i].place);
}

static void find_visible(const struct raim_match *match, const struct raim_connection *client,
                         struct raim_shown *shown)
{
    const struct raim_world *world = match->world;
    const raim_rules *rules = &world->rules;
    const raim_player *self = &raim_world_players_const(world)[raim_player_place(client->player)];
    memset(shown->players, 0, raim_set_words(world->max_players) * sizeof(uint64_t));
    memset(shown->bullets, 0, raim_set_words(world->max_bullets) * sizeof(uint64_t));

    // Who has never risen stands nowhere and sees nothing yet.
    if (self->deaths == 0 && self->state != RAIM_PLAYER_ALIVE)
        return;
    add_near(match->walking, match->walking_count, self->position,
             reach_of(rules, rules->player_radius, rules->player_speed), shown->players);
    add_near(match->flying, match->flying_count, self->position,
             reach_of(rules, rules->bullet_radius, rules->bullet_speed), shown->bullets);
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

// The bits that it takes to tell that everything of a baseline is gone.
static size_t gone_bits(const struct raim_wire_limits *limits,
                        const struct raim_wire_frame *baseline)
{
    size_t known = 0;
    for (size_t i = 0; i < raim_set_words(limits->players); i++)
        known += (size_t)__builtin_popcountll(baseline->seen_players[i]);
    for (size_t i = 0; i < raim_set_words(limits->bullets); i++)
        known += (size_t)__builtin_popcountll(baseline->seen_bullets[i]);
    return 2 * known;
}

// Appends what a set holds of the sightings to the crowd, with its distance.
static uint32_t add_crowd(const struct raim_match *match, const struct raim_sighting *sightings,
                          uint32_t count, const uint64_t *set, raim_vec2 eye, bool are_bullets,
                          uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!raim_set_has(set, sightings[i].place))
            continue;
        match->crowd[size].distance = raim_vec2_distance_squared(sightings[i].position, eye);
        match->crowd[size].place = sightings[i].place;
        match->crowd[size++].is_bullet = are_bullets;
    }
    return size;
}

// Takes out of the frame what the budget has no room for, farthest first.
static void thin_out(struct raim_match *match, const struct raim_connection *client,
                     const struct raim_wire_frame *baseline, struct raim_wire_frame *frame,
                     size_t capacity)
{
    const struct raim_wire_limits *limits = &match->history.limits;
    const uint32_t own_place = raim_player_place(client->player);
    const raim_vec2 eye = raim_world_players_const(match->world)[own_place].position;
    uint32_t count =
        add_crowd(match, match->walking, match->walking_count, frame->seen_players, eye, false, 0);
    count =
        add_crowd(match, match->flying, match->flying_count, frame->seen_bullets, eye, true, count);
    qsort(match->crowd, count, sizeof match->crowd[0], by_distance);

    // What stays out costs no more than what is counted here already.
    size_t bits = RAIM_SNAPSHOT_FIXED_BITS + (baseline != NULL ? gone_bits(limits, baseline) : 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = match->crowd[i].place;
        const bool is_bullet = match->crowd[i].is_bullet;
        const uint32_t cost = is_bullet ? raim_snapshot_bullet_bits(limits, baseline, frame, place)
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
