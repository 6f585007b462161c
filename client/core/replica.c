// SPDX-License-Identifier: MIT
// Keeps a client's replica of the arena.
#include "replica.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static_assert(RAIM_WIRE_POINTS == RAIM_MAX_POLYGON_POINTS, "every obstacle fits");

// The newest snapshots are kept for acknowledgements that overtake each other.
enum { MIN_KEPT = 16 };

// A ring slot without a snapshot: its tick belongs to another slot.
static struct raim_wire_frame no_frame(uint32_t slot_tick)
{
    return (struct raim_wire_frame){.tick = slot_tick + 1};
}

// Allocates the history of frames, and one to read into.
static bool allocate_frames(struct raim_replica *replica)
{
    const uint32_t history = replica->limits.history;
    const size_t frame_bytes = raim_wire_frame_bytes(&replica->limits);
    uint8_t *memory = calloc(history + 1, frame_bytes);
    replica->memory = memory;
    replica->frames = calloc(history, sizeof *replica->frames);
    replica->spares = calloc(history + 1, sizeof *replica->spares);
    if (memory == NULL || replica->frames == NULL || replica->spares == NULL)
        return false;
    replica->spare_count = history + 1;
    for (uint32_t i = 0; i <= history; i++)
        raim_wire_frame_init(&replica->spares[i], &replica->limits, memory + i * frame_bytes);
    for (uint32_t i = 0; i < history; i++)
        replica->frames[i] = no_frame(i);
    return true;
}

static bool make_map(struct raim_replica *replica)
{
    struct raim_map_problem problem;
    replica->map_def.name = replica->map_name;
    replica->map_def.pieces = replica->pieces;
    replica->map = raim_map_create(&replica->map_def, &problem);
    free(replica->pieces);
    replica->pieces = NULL;
    return replica->map != NULL;
}

// Takes the rules and limits of a welcome; false when they cannot be played.
static bool take_rules(struct raim_replica *replica, const struct raim_welcome *welcome)
{
    replica->rules = raim_rules_default();
    // A newer server may add rules at the end, which this client ignores.
    for (int i = 0; i < RAIM_RULE_COUNT && i < (int)welcome->rule_count; i++)
        *raim_rule_value(&replica->rules, i) = welcome->rules[i];
    if (raim_rules_check(&replica->rules) != NULL)
        return false;
    const struct raim_stride stride = raim_world_stride(&replica->rules, welcome->tick_hz);
    replica->limits = (struct raim_wire_limits){
        .players = welcome->max_players,
        .shots = welcome->shots,
        .history = raim_wire_history(welcome->tick_hz),
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = welcome->max_rewind,
        .has_health = replica->rules.health > 1,
    };
    return true;
}

bool raim_replica_create(struct raim_replica *replica, const struct raim_welcome *welcome)
{
    *replica = (struct raim_replica){
        .tick_hz = welcome->tick_hz,
        .epoch = welcome->epoch,
        .newest_tick = welcome->tick,
        .map_def = {.border = {raim_replica_units(welcome->border[0], welcome->border[1]),
                               raim_replica_units(welcome->border[2], welcome->border[3])}},
        .obstacles_left = welcome->obstacle_count,
    };
    memcpy(replica->map_name, welcome->map_name, sizeof replica->map_name);
    if (!take_rules(replica, welcome) || !allocate_frames(replica))
        return false;
    if (welcome->obstacle_count == 0)
        return make_map(replica);
    replica->pieces = calloc(welcome->obstacle_count, sizeof *replica->pieces);
    return replica->pieces != NULL;
}

void raim_replica_destroy(struct raim_replica *replica)
{
    raim_map_destroy(replica->map);
    free(replica->pieces);
    free(replica->frames);
    free(replica->spares);
    free(replica->memory);
}

bool raim_replica_add_obstacles(struct raim_replica *replica, struct raim_wire_obstacle *received,
                                raim_reader *reader)
{
    uint32_t count;
    if (!raim_obstacles_read(reader, received, RAIM_REPLICA_MAX_OBSTACLES_MESSAGE, &count) ||
        count == 0 || count > replica->obstacles_left)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct raim_piece_def *piece = &replica->pieces[replica->map_def.piece_count++];
        piece->count = (int)received[i].count;
        piece->seams = received[i].seams;
        for (uint32_t p = 0; p < received[i].count; p++)
            piece->points[p] =
                raim_replica_units(received[i].points[p][0], received[i].points[p][1]);
    }
    replica->obstacles_left -= count;
    if (replica->obstacles_left == 0)
        make_map(replica);
    return true;
}

bool raim_replica_is_complete(const struct raim_replica *replica)
{
    return replica->obstacles_left == 0;
}

const struct raim_map *raim_replica_map(const struct raim_replica *replica)
{
    return replica->map;
}

const struct raim_wire_frame *raim_replica_frame(const struct raim_replica *replica, uint32_t tick)
{
    const struct raim_wire_frame *frame = &replica->frames[tick % replica->limits.history];
    return frame->tick == tick ? frame : NULL;
}

void raim_replica_around(const struct raim_replica *replica, uint32_t tick,
                         const struct raim_wire_frame **before,
                         const struct raim_wire_frame **after)
{
    *before = *after = NULL;
    if (!replica->any)
        return;
    const uint32_t newest = replica->newest_tick, oldest = newest - replica->limits.history + 1;
    if (raim_tick_diff(tick, newest) > 0)
        tick = newest;
    if (raim_tick_diff(tick, oldest) < 0)
        tick = oldest - 1;
    for (uint32_t at = tick; *before == NULL && raim_tick_diff(at, oldest) >= 0; at--)
        *before = raim_replica_frame(replica, at);
    for (uint32_t at = tick + 1; *after == NULL && raim_tick_diff(at, newest) <= 0; at++)
        *after = raim_replica_frame(replica, at);
}

bool raim_replica_add_snapshot(struct raim_replica *replica, raim_reader *reader,
                               struct raim_replica_change *change)
{
    *change = (struct raim_replica_change){0};
    struct raim_snapshot_header header;
    if (!raim_snapshot_read_header(reader, &replica->limits, replica->newest_tick, &header))
        return false;
    if (header.baseline_age == 0 && header.epoch != replica->epoch) {
        change->is_other_epoch = true;
        return true;
    }
    // A late snapshot is dropped: the client acknowledges only the newest, so a late one cannot be
    // a baseline either. A snapshot older than the welcome belongs to the arena before.
    if (raim_tick_diff(header.tick, replica->newest_tick) < (replica->any ? 1 : 0))
        return true;
    const struct raim_wire_frame *baseline = NULL;
    if (header.baseline_age != 0) {
        baseline = raim_replica_frame(replica, header.tick - header.baseline_age);
        if (baseline == NULL)
            return false;
    }
    struct raim_wire_frame *spare = &replica->spares[replica->spare_count - 1];
    if (!raim_snapshot_read(reader, &header, &replica->limits, baseline, spare))
        return false;
    change->is_newest = true;
    const raim_wire_self before = raim_replica_self(replica), now = spare->self;
    if (replica->any && before.steers) { // otherwise the counters are not the local player's
        change->shots = (uint8_t)(now.shots - before.shots);
        change->hits = (uint8_t)(now.hits - before.hits);
    }
    struct raim_wire_frame *frame = &replica->frames[header.tick % replica->limits.history];
    const struct raim_wire_frame replaced = *frame;
    *frame = *spare;
    if (replaced.players != NULL)
        *spare = replaced;
    else
        replica->spare_count--;
    if (!replica->any)
        replica->kept_tick = header.tick;
    if (baseline != NULL) {
        replica->has_baseline = true;
        replica->baseline_tick = baseline->tick;
    }
    replica->newest_tick = header.tick;
    if (!replica->any || raim_tick_diff(header.tick, replica->shown_tick) > 0)
        replica->shown_tick = header.tick;
    replica->any = true;
    replica->is_news = true;
    return true;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return raim_tick_diff(a, b) < 0 ? a : b;
}

void raim_replica_release(struct raim_replica *replica, uint32_t tick)
{
    const struct raim_wire_frame *before, *after;
    const uint32_t history = replica->limits.history;
    raim_replica_around(replica, tick, &before, &after);
    if (before == NULL || !replica->has_baseline)
        return;
    const uint32_t least =
        earlier(replica->newest_tick - MIN_KEPT, earlier(before->tick, replica->baseline_tick));
    // What is older than the history has been replaced.
    if (raim_tick_diff(least, replica->kept_tick) > (int32_t)history)
        replica->kept_tick = least - history;
    for (; raim_tick_diff(least, replica->kept_tick) > 0; replica->kept_tick++) {
        struct raim_wire_frame *frame = &replica->frames[replica->kept_tick % history];
        if (frame->tick != replica->kept_tick || frame->players == NULL)
            continue;
        replica->spares[replica->spare_count++] = *frame;
        *frame = no_frame(replica->kept_tick);
    }
}

static const struct raim_wire_frame *newest(const struct raim_replica *replica)
{
    return &replica->frames[replica->newest_tick % replica->limits.history];
}

raim_wire_self raim_replica_self(const struct raim_replica *replica)
{
    return replica->any ? newest(replica)->self : (raim_wire_self){0};
}

bool raim_replica_advance(struct raim_replica *replica)
{
    const bool is_news = replica->is_news;
    const int32_t most_ahead = (int32_t)(replica->tick_hz / 4);
    replica->is_news = false;
    if (replica->any && !is_news &&
        raim_tick_diff(replica->shown_tick, replica->newest_tick) < most_ahead)
        replica->shown_tick++;
    return is_news;
}

// The velocity that a player's last step on the wire stands for.
static raim_vec2 velocity_of(const struct raim_replica *replica, const raim_wire_player *received)
{
    const raim_wire_player step = raim_wire_predict_player(
        &replica->limits, &(raim_wire_player){.direction = received->direction}, 1);
    return raim_vec2_scale(raim_replica_units(step.x, step.y), replica->tick_hz);
}

uint32_t raim_replica_players(const struct raim_replica *replica, raim_angle own_aim,
                              struct raim_client_player *players, uint32_t capacity)
{
    if (!replica->any)
        return 0;
    const struct raim_wire_frame *frame = newest(replica);
    const uint32_t age = replica->shown_tick - frame->tick;
    const uint32_t slots = replica->limits.players;
    uint32_t count = 0;
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, slots);
         slot < slots && count < capacity;
         slot = raim_set_next(frame->seen_players, slot + 1, slots)) {
        const raim_wire_player player =
            raim_wire_predict_player(&replica->limits, &frame->players[slot], age);
        const bool is_own = frame->self.steers && frame->self.slot == slot;
        const uint32_t received_aim = (uint32_t)player.aim << (16 - RAIM_WIRE_AIM_BITS);
        players[count++] = (struct raim_client_player){
            .slot = slot,
            .position = raim_replica_units(player.x, player.y),
            .velocity = velocity_of(replica, &player),
            .aim = is_own ? own_aim : (raim_angle)received_aim,
            .life = (uint8_t)player.life,
            .shielded = player.shield != 0,
            .health = raim_replica_health(replica, &player),
        };
    }
    return count;
}

uint32_t raim_replica_bullet_ticks(const struct raim_replica *replica)
{
    return raim_ticks_of(replica->rules.bullet_lifetime, replica->tick_hz);
}

uint32_t raim_replica_bullets(const struct raim_replica *replica,
                              struct raim_client_bullet *bullets, uint32_t capacity)
{
    if (!replica->any)
        return 0;
    const struct raim_wire_frame *frame = newest(replica);
    const uint32_t slots = raim_wire_bullets(&replica->limits);
    const int32_t most_age = (int32_t)raim_replica_bullet_ticks(replica);
    uint32_t count = 0;
    for (uint32_t slot = raim_set_next(frame->seen_bullets, 0, slots);
         slot < slots && count < capacity;
         slot = raim_set_next(frame->seen_bullets, slot + 1, slots)) {
        const raim_wire_bullet *received = &frame->bullets[slot];
        if (raim_tick_diff(replica->shown_tick, received->tick) >= most_age)
            continue;
        const raim_bullet bullet = {
            .origin = raim_replica_units(received->x, received->y),
            .direction = raim_angle_direction(received->aim),
            .born_tick = received->tick,
        };
        bullets[count++] = (struct raim_client_bullet){
            .position = raim_bullet_position(&replica->rules, &bullet, replica->shown_tick,
                                             replica->tick_hz),
            .velocity = raim_vec2_scale(bullet.direction, replica->rules.bullet_speed),
            .owner = slot / replica->limits.shots,
        };
    }
    return count;
}
