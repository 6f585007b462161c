// SPDX-License-Identifier: MIT
// Keeps a client's replica of the arena.
#include "replica.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static_assert(RAIM_WIRE_POINTS == RAIM_MAX_POLYGON_POINTS, "every obstacle fits");

// Allocates the history of frames, and the spare frame behind it.
static bool allocate_frames(struct raim_image *image)
{
    const uint32_t history = image->limits.history;
    const size_t frame_bytes = raim_wire_frame_bytes(&image->limits);
    uint8_t *memory = calloc(history + 1, frame_bytes);
    image->memory = memory;
    image->frames = calloc(history, sizeof *image->frames);
    if (memory == NULL || image->frames == NULL)
        return false;
    for (uint32_t i = 0; i < history; i++) {
        raim_wire_frame_init(&image->frames[i], &image->limits, memory + i * frame_bytes);
        image->frames[i].tick = i + 1; // belongs to another slot of the ring: no snapshot
    }
    raim_wire_frame_init(&image->spare, &image->limits, memory + history * frame_bytes);
    return true;
}

static bool make_map(struct raim_image *image)
{
    struct raim_map_problem problem;
    image->map_def.name = image->map_name;
    image->map_def.pieces = image->pieces;
    image->map = raim_map_create(&image->map_def, &problem);
    free(image->pieces);
    image->pieces = NULL;
    return image->map != NULL;
}

// Takes the rules and limits of a welcome; false when they cannot be played.
static bool take_rules(struct raim_image *image, const struct raim_welcome *welcome)
{
    image->rules = raim_rules_default();
    // A newer server may add rules at the end, which this client ignores.
    for (int i = 0; i < RAIM_RULE_COUNT && i < (int)welcome->rule_count; i++)
        *raim_rule_value(&image->rules, i) = welcome->rules[i];
    if (raim_rules_check(&image->rules) != NULL)
        return false;
    const struct raim_stride stride = raim_world_stride(&image->rules, welcome->tick_hz);
    image->limits = (struct raim_wire_limits){
        .players = welcome->max_players,
        .shots = welcome->shots,
        .history = raim_wire_history(welcome->tick_hz),
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = welcome->max_rewind,
    };
    return true;
}

bool raim_image_create(struct raim_image *image, const struct raim_welcome *welcome)
{
    *image = (struct raim_image){
        .tick_hz = welcome->tick_hz,
        .newest_tick = welcome->tick,
        .map_def = {.border = {raim_image_units(welcome->border[0], welcome->border[1]),
                               raim_image_units(welcome->border[2], welcome->border[3])}},
        .obstacles_left = welcome->obstacle_count,
    };
    memcpy(image->map_name, welcome->map_name, sizeof image->map_name);
    if (!take_rules(image, welcome) || !allocate_frames(image))
        return false;
    if (welcome->obstacle_count == 0)
        return make_map(image);
    image->pieces = calloc(welcome->obstacle_count, sizeof *image->pieces);
    return image->pieces != NULL;
}

void raim_image_destroy(struct raim_image *image)
{
    raim_map_destroy(image->map);
    free(image->pieces);
    free(image->frames);
    free(image->memory);
}

bool raim_image_add_obstacles(struct raim_image *image, raim_reader *reader)
{
    enum { MOST = 128 }; // no message holds more
    struct raim_wire_obstacle received[MOST];
    uint32_t count;
    if (!raim_obstacles_read(reader, received, MOST, &count) || count == 0 ||
        count > image->obstacles_left)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct raim_piece_def *piece = &image->pieces[image->map_def.piece_count++];
        piece->count = (int)received[i].count;
        piece->seams = received[i].seams;
        for (uint32_t p = 0; p < received[i].count; p++)
            piece->points[p] = raim_image_units(received[i].points[p][0], received[i].points[p][1]);
    }
    image->obstacles_left -= count;
    if (image->obstacles_left == 0)
        make_map(image);
    return true;
}

bool raim_image_is_told(const struct raim_image *image)
{
    return image->obstacles_left == 0;
}

const struct raim_map *raim_image_map(const struct raim_image *image)
{
    return image->map;
}

// The tick of a ring slot is that of its snapshot; the tick of an empty one belongs to another
// slot.
const struct raim_wire_frame *raim_image_frame(const struct raim_image *image, uint32_t tick)
{
    const struct raim_wire_frame *frame = &image->frames[tick % image->limits.history];
    return frame->tick == tick ? frame : NULL;
}

void raim_image_around(const struct raim_image *image, uint32_t tick,
                       const struct raim_wire_frame **before, const struct raim_wire_frame **after)
{
    *before = *after = NULL;
    if (!image->any)
        return;
    const uint32_t newest = image->newest_tick, oldest = newest - image->limits.history + 1;
    if (raim_tick_diff(tick, newest) > 0)
        tick = newest;
    if (raim_tick_diff(tick, oldest) < 0)
        tick = oldest - 1;
    for (uint32_t at = tick; *before == NULL && raim_tick_diff(at, oldest) >= 0; at--)
        *before = raim_image_frame(image, at);
    for (uint32_t at = tick + 1; *after == NULL && raim_tick_diff(at, newest) <= 0; at++)
        *after = raim_image_frame(image, at);
}

bool raim_image_add_snapshot(struct raim_image *image, raim_reader *reader,
                             struct raim_image_change *change)
{
    *change = (struct raim_image_change){0};
    struct raim_snapshot_header header;
    if (!raim_snapshot_read_header(reader, &image->limits, image->newest_tick, &header))
        return false;
    // A late snapshot is dropped: the client acknowledges only the newest, so a late one cannot be
    // a baseline either. A snapshot older than the welcome belongs to the arena before.
    if (raim_tick_diff(header.tick, image->newest_tick) < (image->any ? 1 : 0))
        return true;
    const struct raim_wire_frame *baseline = NULL;
    if (header.baseline_age != 0) {
        baseline = raim_image_frame(image, header.tick - header.baseline_age);
        if (baseline == NULL)
            return false;
    }
    if (!raim_snapshot_read(reader, &header, &image->limits, baseline, &image->spare))
        return false;
    change->is_newest = true;
    const raim_wire_self before = raim_image_self(image), now = image->spare.self;
    if (image->any && before.steers) { // otherwise the counters are not the local player's
        change->shots = (uint8_t)(now.shots - before.shots);
        change->hits = (uint8_t)(now.hits - before.hits);
    }
    struct raim_wire_frame *frame = &image->frames[header.tick % image->limits.history];
    const struct raim_wire_frame replaced = *frame;
    *frame = image->spare;
    image->spare = replaced;
    image->newest_tick = header.tick;
    if (!image->any || raim_tick_diff(header.tick, image->shown_tick) > 0)
        image->shown_tick = header.tick;
    image->any = true;
    image->is_news = true;
    return true;
}

static const struct raim_wire_frame *newest(const struct raim_image *image)
{
    return &image->frames[image->newest_tick % image->limits.history];
}

raim_wire_self raim_image_self(const struct raim_image *image)
{
    return image->any ? newest(image)->self : (raim_wire_self){0};
}

bool raim_image_go_on(struct raim_image *image)
{
    const bool is_news = image->is_news;
    const int32_t most_ahead = (int32_t)(image->tick_hz / 4);
    image->is_news = false;
    if (image->any && !is_news &&
        raim_tick_diff(image->shown_tick, image->newest_tick) < most_ahead)
        image->shown_tick++;
    return is_news;
}

// The velocity that a player's last step on the wire stands for.
static raim_vec2 velocity_of(const struct raim_image *image, const raim_wire_player *received)
{
    const raim_wire_player step =
        raim_wire_predict_player(&image->limits, &(raim_wire_player){.way = received->way}, 1);
    return raim_vec2_scale(raim_image_units(step.x, step.y), image->tick_hz);
}

uint32_t raim_image_players(const struct raim_image *image, raim_angle own_aim,
                            struct raim_client_player *players, uint32_t capacity)
{
    if (!image->any)
        return 0;
    const struct raim_wire_frame *frame = newest(image);
    const uint32_t age = image->shown_tick - frame->tick;
    const uint32_t slots = image->limits.players;
    uint32_t count = 0;
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, slots);
         slot < slots && count < capacity;
         slot = raim_set_next(frame->seen_players, slot + 1, slots)) {
        const raim_wire_player player =
            raim_wire_predict_player(&image->limits, &frame->players[slot], age);
        const bool is_own = frame->self.steers && frame->self.place == slot;
        const uint32_t received_aim = (uint32_t)player.aim << (16 - RAIM_WIRE_AIM_BITS);
        players[count++] = (struct raim_client_player){
            .place = slot,
            .position = raim_image_units(player.x, player.y),
            .velocity = velocity_of(image, &player),
            .aim = is_own ? own_aim : (raim_angle)received_aim,
            .life = (uint8_t)player.life,
            .shielded = player.shield != 0,
        };
    }
    return count;
}

uint32_t raim_image_bullet_ticks(const struct raim_image *image)
{
    return raim_ticks_of(image->rules.bullet_lifetime, image->tick_hz);
}

uint32_t raim_image_bullets(const struct raim_image *image, struct raim_client_bullet *bullets,
                            uint32_t capacity)
{
    if (!image->any)
        return 0;
    const struct raim_wire_frame *frame = newest(image);
    const uint32_t slots = raim_wire_bullets(&image->limits);
    const int32_t most_age = (int32_t)raim_image_bullet_ticks(image);
    uint32_t count = 0;
    for (uint32_t slot = raim_set_next(frame->seen_bullets, 0, slots);
         slot < slots && count < capacity;
         slot = raim_set_next(frame->seen_bullets, slot + 1, slots)) {
        const raim_wire_bullet *received = &frame->bullets[slot];
        if (raim_tick_diff(image->shown_tick, received->tick) >= most_age)
            continue;
        const raim_bullet bullet = {
            .origin = raim_image_units(received->x, received->y),
            .direction = raim_angle_direction(received->aim),
            .born_tick = received->tick,
        };
        bullets[count++] = (struct raim_client_bullet){
            .position =
                raim_bullet_position(&image->rules, &bullet, image->shown_tick, image->tick_hz),
            .velocity = raim_vec2_scale(bullet.direction, image->rules.bullet_speed),
            .owner = slot / image->limits.shots,
        };
    }
    return count;
}
