// SPDX-License-Identifier: MIT
// Keeps a client's image of the arena.
#include "arena_image.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static_assert(RAIM_WIRE_POINTS == RAIM_MAX_POLYGON_POINTS, "every obstacle fits");

static raim_vec2 to_units(int32_t x, int32_t y)
{
    return (raim_vec2){x / (double)RAIM_WIRE_UNITS, y / (double)RAIM_WIRE_UNITS};
}

static bool allocate_frames(struct raim_image *image)
{
    const size_t frame_bytes = raim_wire_frame_bytes(&image->limits);
    uint8_t *memory = calloc(RAIM_SNAPSHOT_HISTORY + 1, frame_bytes);
    image->memory = memory;
    if (memory == NULL)
        return false;
    raim_wire_frame_init(&image->spare, &image->limits,
                         memory + RAIM_SNAPSHOT_HISTORY * frame_bytes);
    for (int i = 0; i < RAIM_SNAPSHOT_HISTORY; i++)
        raim_wire_frame_init(&image->frames[i].wire, &image->limits, memory + i * frame_bytes);
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

bool raim_image_create(struct raim_image *image, const struct raim_welcome *welcome)
{
    *image = (struct raim_image){
        .limits = {welcome->max_players, welcome->max_bullets},
        .rules = raim_rules_default(),
        .tick_hz = welcome->tick_hz,
        .map_def = {.border = {to_units(welcome->border[0], welcome->border[1]),
                               to_units(welcome->border[2], welcome->border[3])}},
        .obstacles_left = welcome->obstacle_count,
    };
    memcpy(image->map_name, welcome->map_name, sizeof image->map_name);
    // Rules that a newer server adds at the end do not concern this client.
    for (int i = 0; i < RAIM_RULE_COUNT && i < (int)welcome->rule_count; i++)
        *raim_rule_value(&image->rules, i) = welcome->rules[i];
    if (raim_rules_check(&image->rules) != NULL || !allocate_frames(image))
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
    free(image->memory);
}

bool raim_image_add_obstacles(struct raim_image *image, raim_reader *reader)
{
    enum { MOST = 128 }; // no message holds more
    struct raim_wire_obstacle told[MOST];
    uint32_t count;
    if (!raim_obstacles_read(reader, told, MOST, &count) || count == 0 ||
        count > image->obstacles_left)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct raim_piece_def *piece = &image->pieces[image->map_def.piece_count++];
        piece->count = (int)told[i].count;
        piece->seams = told[i].seams;
        for (uint32_t p = 0; p < told[i].count; p++)
            piece->points[p] = to_units(told[i].points[p][0], told[i].points[p][1]);
    }
    image->obstacles_left -= count;
    return image->obstacles_left > 0 || make_map(image);
}

const struct raim_map *raim_image_map(const struct raim_image *image)
{
    return image->map;
}

static const struct raim_image_frame *frame_at(const struct raim_image *image, uint32_t tick)
{
    const struct raim_image_frame *frame = &image->frames[tick % RAIM_SNAPSHOT_HISTORY];
    return frame->valid && frame->wire.tick == tick ? frame : NULL;
}

bool raim_image_add_snapshot(struct raim_image *image, const struct raim_snapshot_header *header,
                             raim_reader *reader, struct raim_image_change *change)
{
    *change = (struct raim_image_change){0};
    const int32_t ahead = image->any ? raim_tick_diff(header->tick, image->newest_tick) : 1;
    const bool older_than_all = image->any && raim_tick_diff(header->tick, image->first_tick) < 0;
    if (ahead <= -RAIM_SNAPSHOT_HISTORY || older_than_all ||
        frame_at(image, header->tick) != NULL) {
        change->repeated = true;
        return true;
    }
    const struct raim_image_frame *baseline = NULL;
    if (header->baseline_age != 0) {
        baseline = frame_at(image, header->tick - header->baseline_age);
        if (baseline == NULL)
            return false;
    }
    if (!raim_snapshot_read(reader, header, &image->limits,
                            baseline != NULL ? &baseline->wire : NULL, &image->spare))
        return false;
    struct raim_image_frame *frame = &image->frames[header->tick % RAIM_SNAPSHOT_HISTORY];
    const struct raim_wire_frame replaced = frame->wire;
    frame->wire = image->spare;
    frame->valid = true;
    image->spare = replaced;
    change->newest = ahead > 0;
    change->skipped = ahead > 0 && image->any ? (uint32_t)ahead - 1 : 0;
    change->filled = ahead < 0;
    if (!change->newest)
        return true;
    if (image->any) {
        const struct raim_image_frame *before = frame_at(image, image->newest_tick);
        assert(before != NULL || ahead >= RAIM_SNAPSHOT_HISTORY);
        if (before != NULL) {
            change->shots = (uint8_t)(frame->wire.self.shots - before->wire.self.shots);
            change->hits = (uint8_t)(frame->wire.self.hits - before->wire.self.hits);
        }
    }
    if (!image->any)
        image->first_tick = header->tick;
    image->any = true;
    image->newest_tick = header->tick;
    return true;
}

static const struct raim_wire_frame *newest(const struct raim_image *image)
{
    const struct raim_image_frame *frame = image->any ? frame_at(image, image->newest_tick) : NULL;
    return frame != NULL ? &frame->wire : NULL;
}

bool raim_image_alive(const struct raim_image *image)
{
    const struct raim_wire_frame *frame = newest(image);
    return frame != NULL && frame->self.alive;
}

// From the newest earlier frame, not more than a few ticks back, that shows the same life.
static raim_vec2 velocity_of(const struct raim_image *image, uint32_t place)
{
    const struct raim_wire_player *now = &newest(image)->players[place];
    for (uint32_t age = 1; age <= 4; age++) {
        const struct raim_image_frame *frame = frame_at(image, image->newest_tick - age);
        if (frame == NULL || !raim_set_has(frame->wire.seen_players, place))
            continue;
        const raim_wire_player *then = &frame->wire.players[place];
        if (then->life != now->life)
            break;
        const raim_vec2 moved = to_units(now->x - then->x, now->y - then->y);
        return raim_vec2_scale(moved, image->tick_hz / (double)age);
    }
    return (raim_vec2){0, 0};
}

uint32_t raim_image_players(const struct raim_image *image, struct raim_client_player *players,
                            uint32_t capacity)
{
    const struct raim_wire_frame *frame = newest(image);
    uint32_t count = 0;
    for (uint32_t place = 0; frame != NULL && place < image->limits.players; place++) {
        if (!raim_set_has(frame->seen_players, place) || count == capacity)
            continue;
        const raim_wire_player *player = &frame->players[place];
        players[count++] = (struct raim_client_player){
            .place = place,
            .position = to_units(player->x, player->y),
            .velocity = velocity_of(image, place),
            .aim = (raim_angle)(player->aim << (16 - RAIM_WIRE_AIM_BITS)),
            .life = (uint8_t)player->life,
            .shielded = player->shield != 0,
        };
    }
    return count;
}

uint32_t raim_image_bullets(const struct raim_image *image, struct raim_client_bullet *bullets,
                            uint32_t capacity)
{
    const struct raim_wire_frame *frame = newest(image);
    uint32_t count = 0;
    for (uint32_t place = 0; frame != NULL && place < image->limits.bullets; place++) {
        if (!raim_set_has(frame->seen_bullets, place) || count == capacity)
            continue;
        const raim_wire_bullet *told = &frame->bullets[place];
        const raim_bullet bullet = {
            .origin = to_units(told->x, told->y),
            .velocity = raim_vec2_scale(raim_angle_direction(told->aim), image->rules.bullet_speed),
            .born_tick = told->born_tick,
        };
        bullets[count++] = (struct raim_client_bullet){
            .position = raim_bullet_position(&bullet, frame->tick, image->tick_hz),
            .velocity = bullet.velocity,
            .owner = told->owner,
        };
    }
    return count;
}
