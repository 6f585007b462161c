// SPDX-License-Identifier: MIT
// Finds what a viewer may be sent: a broad phase over boxes finds the entities near enough to come
// into view in time, then the visibility cache discards those that stay hidden behind walls.
#include "interest.h"

#include "map.h"
#include "visibility_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// By the time a viewer sees a snapshot, the viewer has run on for its latency, but the targets are
// shown as they were: no target must be sent before it comes into sight. It is sent this much
// earlier, in seconds, all the same, so that a few lost snapshots do not make it late.
static const double lead_s = 1.0 / 15;

// A map is loaded into the processor's cache ahead of a tick if it has at most so many bytes for
// each living player. A few players read little of a large map.
static const size_t map_bytes_per_player = 4096;

struct raim_interest {
    struct raim_interest_def def;
    double stride; // units that a player runs per tick
    uint32_t hold; // see raim_visibility_cache_hold
    uint32_t lead; // ticks, see lead_s
    uint32_t tick;
    const struct raim_wire_frame *frame; // of that tick

    struct live_player {
        raim_vec2 position;
        uint32_t slot;
    } * live_players; // of `frame`
    uint32_t live_player_count;
    struct raim_box_index player_index; // of these

    struct live_bullet {
        struct raim_trajectory trajectory;
        uint32_t slot;
    } * live_bullets; // of `frame`
    uint32_t live_bullet_count;
    struct raim_box_index bullet_index; // of these

    // By slot, the whole path of the latest bullet in it.
    struct flight {
        bool flies;     // the slot has held a bullet
        uint32_t tick;  // of its launch
        uint32_t fired; // tick in which it was fired or reflected
        int32_t x, y;   // where; with `fired` it identifies a bullet within its slot
        double ticks;   // from launch until a wall or the lifetime ends it
        raim_vec2 origin, direction;
    } * flights;

    // By slot, as of the previous tick. A changed life invalidates cached visibility, because a
    // respawn moves the player further than a run could.
    struct life {
        bool alive;
        int32_t life;
    } * lives;

    struct raim_visibility *visibility;
    // Row s serves the player of slot s, row slots + s the spectators who watch it.
    struct raim_visibility_cache players, bullets;
};

static bool allocate(struct raim_interest *interest)
{
    const struct raim_interest_def *def = &interest->def;
    const struct raim_wire_limits *limits = &def->history->limits;
    const uint32_t slots = limits->players, bullets = raim_wire_bullets(limits);
    const struct raim_visibility_def visibility = {
        .map = def->map,
        .view = def->view,
        .slots = slots,
        .player_radius = def->rules.player_radius,
        .stride = interest->stride,
        .longest_run = def->max_latency + interest->hold,
    };
    interest->live_players = calloc(slots, sizeof *interest->live_players);
    interest->live_bullets = calloc(bullets, sizeof *interest->live_bullets);
    interest->flights = calloc(bullets, sizeof *interest->flights);
    interest->lives = calloc(slots, sizeof *interest->lives);
    interest->visibility = raim_visibility_create(&visibility);
    const raim_box border = def->map->border;
    return interest->live_players != NULL && interest->live_bullets != NULL &&
           interest->flights != NULL && interest->lives != NULL && interest->visibility != NULL &&
           raim_box_index_create(&interest->player_index, border, (int)slots) &&
           raim_box_index_create(&interest->bullet_index, border, (int)bullets) &&
           raim_visibility_cache_create(&interest->players, slots, 2 * slots) &&
           raim_visibility_cache_create(&interest->bullets, bullets, 2 * slots);
}

struct raim_interest *raim_interest_create(const struct raim_interest_def *def)
{
    struct raim_interest *interest = calloc(1, sizeof *interest);
    if (interest == NULL)
        return NULL;
    interest->def = *def;
    interest->stride = def->history->limits.stride * RAIM_MAP_GRID;
    interest->hold = raim_visibility_cache_hold(def->tick_hz);
    interest->lead = (uint32_t)ceil(lead_s * def->tick_hz);
    if (allocate(interest))
        return interest;
    raim_interest_destroy(interest);
    return NULL;
}

void raim_interest_destroy(struct raim_interest *interest)
{
    if (interest == NULL)
        return;
    free(interest->live_players);
    free(interest->live_bullets);
    free(interest->flights);
    free(interest->lives);
    raim_visibility_destroy(interest->visibility);
    raim_box_index_destroy(&interest->player_index);
    raim_box_index_destroy(&interest->bullet_index);
    raim_visibility_cache_destroy(&interest->players);
    raim_visibility_cache_destroy(&interest->bullets);
    free(interest);
}

const struct raim_history *raim_interest_history(const struct raim_interest *interest)
{
    return interest->def.history;
}

uint32_t raim_interest_tick(const struct raim_interest *interest)
{
    return interest->tick;
}

// --- selecting a tick ---

static void reset_player(struct raim_interest *interest, uint32_t slot)
{
    const uint32_t slots = interest->def.history->limits.players;
    raim_visibility_cache_forget_target(&interest->players, slot);
    for (uint32_t viewer = slot; viewer < 2 * slots; viewer += slots) {
        raim_visibility_cache_forget_viewer(&interest->players, viewer);
        raim_visibility_cache_forget_viewer(&interest->bullets, viewer);
    }
}

static raim_box point_box(raim_vec2 point)
{
    return (raim_box){point, point};
}

static void update_players(struct raim_interest *interest)
{
    const uint32_t slots = interest->def.history->limits.players;
    interest->live_player_count = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const raim_wire_player *player = &interest->frame->players[slot];
        struct life *life = &interest->lives[slot];
        const bool alive = raim_set_has(interest->frame->seen_players, slot);
        if (alive != life->alive || life->life != player->life)
            reset_player(interest, slot);
        *life = (struct life){alive, player->life};
        if (alive)
            interest->live_players[interest->live_player_count++] =
                (struct live_player){raim_units(player->x, player->y), slot};
    }
    raim_box_index_begin(&interest->player_index, (int)interest->live_player_count);
    for (uint32_t i = 0; i < interest->live_player_count; i++)
        raim_box_index_add(&interest->player_index, (int)i,
                           point_box(interest->live_players[i].position));
    raim_box_index_end(&interest->player_index);
}

// Computes the whole path of a bullet when it first appears.
static void launch(struct raim_interest *interest, uint32_t slot)
{
    const raim_wire_bullet *bullet = &interest->frame->bullets[slot];
    const raim_rules *rules = &interest->def.rules;
    struct flight *flight = &interest->flights[slot];
    *flight = (struct flight){
        .flies = true,
        .tick = bullet->tick,
        .fired = bullet->tick + bullet->rewind,
        .x = bullet->x,
        .y = bullet->y,
        .origin = raim_units(bullet->x, bullet->y),
        .direction = raim_angle_direction(bullet->aim),
    };
    const double flown_s = (double)bullet->flown / interest->def.tick_hz;
    const double range = rules->bullet_speed * fmax(0, rules->bullet_lifetime - flown_s);
    // A reflected bullet begins its path at the muzzle, another one at its shooter's centre.
    const double begin = bullet->flown > 0 ? rules->player_radius : 0;
    const double length = rules->player_radius + range - begin;
    const double wall =
        raim_map_sweep(interest->def.map, raim_vec2_mad(flight->origin, flight->direction, begin),
                       raim_vec2_scale(flight->direction, length), rules->bullet_radius);
    const double flown = begin + wall * length - rules->player_radius;
    flight->ticks = (flown < range ? flown : range) / rules->bullet_speed * interest->def.tick_hz;
    raim_visibility_cache_forget_target(&interest->bullets, slot);
}

static void update_bullets(struct raim_interest *interest)
{
    const struct raim_wire_frame *frame = interest->frame;
    const raim_rules *rules = &interest->def.rules;
    const uint32_t slots = raim_wire_bullets(&interest->def.history->limits);
    const double step = rules->bullet_speed / interest->def.tick_hz;
    interest->live_bullet_count = 0;
    for (uint32_t slot = raim_set_next(frame->seen_bullets, 0, slots); slot < slots;
         slot = raim_set_next(frame->seen_bullets, slot + 1, slots)) {
        struct flight *flight = &interest->flights[slot];
        const raim_wire_bullet *bullet = &frame->bullets[slot];
        if (!flight->flies || flight->fired != bullet->tick + bullet->rewind ||
            flight->x != bullet->x || flight->y != bullet->y)
            launch(interest, slot);
        const double flown = raim_tick_diff(frame->tick, flight->tick);
        interest->live_bullets[interest->live_bullet_count++] = (struct live_bullet){
            .trajectory =
                {
                    .position = raim_vec2_mad(flight->origin, flight->direction,
                                              rules->player_radius + step * flown),
                    .step = raim_vec2_scale(flight->direction, step),
                    .left = flight->ticks > flown ? flight->ticks - flown : 0,
                },
            .slot = slot,
        };
    }
    raim_box_index_begin(&interest->bullet_index, (int)interest->live_bullet_count);
    for (uint32_t i = 0; i < interest->live_bullet_count; i++)
        raim_box_index_add(&interest->bullet_index, (int)i,
                           point_box(interest->live_bullets[i].trajectory.position));
    raim_box_index_end(&interest->bullet_index);
}

void raim_interest_set_tick(struct raim_interest *interest, uint32_t tick)
{
    const struct raim_wire_limits *limits = &interest->def.history->limits;
    if (tick != interest->tick + 1) { // lives and bullets of the skipped ticks are unknown
        memset(interest->lives, 0, limits->players * sizeof *interest->lives);
        memset(interest->flights, 0, raim_wire_bullets(limits) * sizeof *interest->flights);
    }
    raim_map_preload(interest->def.map, map_bytes_per_player * interest->live_player_count);
    raim_visibility_cache_preload(&interest->players);
    raim_visibility_cache_preload(&interest->bullets);
    interest->tick = tick;
    interest->frame = raim_history_at(interest->def.history, tick);
    update_players(interest);
    update_bullets(interest);
    raim_visibility_set_tick(interest->visibility, tick);
}

// --- finding entities ---

// One call of raim_interest_find.
struct query {
    struct raim_interest *interest;
    struct raim_visibility_cache_query cache_query;
    raim_box players, bullets; // boxes from which entities can come into view in time
    raim_box near_view;        // box that a bullet's path must cross
};

static bool is_player_visible(const struct query *query, const struct live_player *player)
{
    struct raim_interest *interest = query->interest;
    if (!interest->def.sight || player->slot == query->cache_query.viewpoint.slot)
        return true;
    const struct raim_view_target target = {
        .slot = player->slot,
        .centre = player->position,
        .radius = interest->def.rules.player_radius,
    };
    return raim_visibility_cache_may_see(&interest->players, &query->cache_query, &target);
}

static void find_players(const struct query *query, uint32_t viewer, uint64_t *set)
{
    struct raim_interest *interest = query->interest;
    struct raim_box_index_search search;
    raim_visibility_cache_begin(&interest->players, viewer, query->cache_query.latency);
    raim_box_index_find(&interest->player_index, query->players, &search);
    for (int i; (i = raim_box_index_next(&search)) >= 0;) {
        const struct live_player *player = &interest->live_players[i];
        if (raim_box_contains(query->players, player->position) && is_player_visible(query, player))
            raim_set_add(set, player->slot);
    }
    raim_visibility_cache_end(&interest->players);
}

static bool is_bullet_visible(const struct query *query, const struct live_bullet *bullet)
{
    struct raim_interest *interest = query->interest;
    if (!interest->def.sight)
        return true;
    const struct raim_view_target target = {
        .slot = bullet->slot,
        .centre = bullet->trajectory.position,
        .radius = interest->def.rules.bullet_radius,
        .trajectory = &bullet->trajectory,
    };
    return raim_visibility_cache_may_see(&interest->bullets, &query->cache_query, &target);
}

// True when a bullet's path crosses the viewer's rectangle in time.
static bool comes_near(const struct query *query, const struct raim_trajectory *trajectory)
{
    const raim_vec2 start = trajectory->position;
    if (!raim_box_contains(query->bullets, start))
        return false;
    // query->bullets allows for any direction of flight. The path of this bullet decides.
    const double flight = raim_trajectory_ticks(trajectory, query->cache_query.lead);
    const raim_vec2 end = raim_trajectory_at(trajectory, flight);
    return raim_box_overlaps(query->near_view, raim_box_include((raim_box){start, start}, end));
}

static void find_bullets(const struct query *query, uint32_t viewer, uint64_t *set)
{
    struct raim_interest *interest = query->interest;
    struct raim_box_index_search search;
    raim_visibility_cache_begin(&interest->bullets, viewer, query->cache_query.latency);
    raim_box_index_find(&interest->bullet_index, query->bullets, &search);
    for (int i; (i = raim_box_index_next(&search)) >= 0;) {
        const struct live_bullet *bullet = &interest->live_bullets[i];
        if (comes_near(query, &bullet->trajectory) && is_bullet_visible(query, bullet))
            raim_set_add(set, bullet->slot);
    }
    raim_visibility_cache_end(&interest->bullets);
}

// The viewer's rectangle, grown by `margin` on all sides.
static raim_box view_of(const struct query *query, double margin)
{
    const raim_vec2 half = raim_vec2_scale(query->interest->def.view, 0.5);
    const raim_vec2 eye = query->cache_query.viewpoint.eye;
    const raim_box view = {raim_vec2_sub(eye, half), raim_vec2_add(eye, half)};
    return raim_box_grow(view, margin);
}

void raim_interest_find(struct raim_interest *interest, const struct raim_viewer *viewer,
                        uint64_t *players, uint64_t *bullets)
{
    const struct raim_wire_limits *limits = &interest->def.history->limits;
    const raim_wire_player *self = &interest->frame->players[viewer->slot];
    memset(players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    memset(bullets, 0, raim_set_words(raim_wire_bullets(limits)) * sizeof(uint64_t));
    assert(viewer->latency <= interest->def.max_latency);
    const uint32_t row = viewer->slot + (viewer->steers ? 0 : limits->players);
    if (!raim_history_self_at(interest->def.history, interest->tick, viewer->slot)->has_spawned)
        return; // before its first spawn a player has no position and sees nothing
    const raim_rules *rules = &interest->def.rules;
    const bool moves = raim_set_has(interest->frame->seen_players, viewer->slot);
    const uint32_t lead = viewer->latency < interest->lead ? viewer->latency : interest->lead;
    struct query query = {
        .interest = interest,
        .cache_query =
            {
                .visibility = interest->visibility,
                .tick = interest->tick,
                .latency = viewer->latency,
                .lead = lead,
                .hold = interest->hold,
                .viewpoint = {viewer->slot, raim_units(self->x, self->y), moves},
            },
    };
    const double own_run = moves ? interest->stride * viewer->latency : 0;
    const double run = interest->stride * lead;
    const double flight = rules->bullet_speed / interest->def.tick_hz * lead;
    query.players = view_of(&query, rules->player_radius + run + own_run);
    query.bullets = view_of(&query, rules->bullet_radius + flight + own_run);
    query.near_view = view_of(&query, rules->bullet_radius + own_run);
    find_players(&query, row, players);
    find_bullets(&query, row, bullets);
}
