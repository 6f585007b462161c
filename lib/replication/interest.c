// SPDX-License-Identifier: MIT
// Finds what a viewer may be sent: those near enough to come into view in time, of whom the
// visibility cache then says which walls hide.
#include "interest.h"

#include "visibility_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct raim_interest {
    struct raim_interest_def def;
    double stride; // units that a player runs in a tick
    uint32_t rest; // see raim_visibility_cache_rest
    uint32_t tick;
    const struct raim_wire_frame *frame; // of that tick

    struct walker {
        raim_vec2 position;
        uint32_t place;
    } * walking; // all that live
    uint32_t walking_count;
    struct raim_box_index walkers; // of these

    struct flier {
        struct raim_trajectory trajectory;
        uint32_t place;
    } * flying; // all that fly
    uint32_t flying_count;
    struct raim_box_index fliers; // of these

    // By place, the whole way of the last bullet there.
    struct flight {
        bool flies;     // or flew
        uint32_t tick;  // its launch
        uint32_t fired; // the tick in which it was: no two of a place are fired in one
        double ticks;   // that it flies until a wall or its age ends it
        raim_vec2 origin, direction;
    } * flights;

    // By place, of the last tick: whoever has spawned since is somewhere else.
    struct life {
        bool alive;
        int32_t life;
    } * lives;

    struct raim_visibility *visibility;
    // Viewers are numbered by their places, first those who steer, then those who watch.
    struct raim_visibility_cache players, bullets;
};

static bool allocate(struct raim_interest *vista)
{
    const struct raim_interest_def *def = &vista->def;
    const struct raim_wire_limits *limits = &def->history->limits;
    const uint32_t places = limits->players, bullets = raim_wire_bullets(limits);
    const struct raim_visibility_def visibility = {
        .map = def->map,
        .clearing = def->clearing,
        .view = def->view,
        .places = places,
        .player_radius = def->rules.player_radius,
        .stride = vista->stride,
        .longest_run = def->max_latency + vista->rest,
    };
    vista->walking = calloc(places, sizeof *vista->walking);
    vista->flying = calloc(bullets, sizeof *vista->flying);
    vista->flights = calloc(bullets, sizeof *vista->flights);
    vista->lives = calloc(places, sizeof *vista->lives);
    vista->visibility = raim_visibility_create(&visibility);
    const raim_box border = def->map->border;
    return vista->walking != NULL && vista->flying != NULL && vista->flights != NULL &&
           vista->lives != NULL && vista->visibility != NULL &&
           raim_box_index_create(&vista->walkers, border, (int)places) &&
           raim_box_index_create(&vista->fliers, border, (int)bullets) &&
           raim_visibility_cache_create(&vista->players, places, 2 * places) &&
           raim_visibility_cache_create(&vista->bullets, bullets, 2 * places);
}

struct raim_interest *raim_interest_create(const struct raim_interest_def *def)
{
    struct raim_interest *vista = calloc(1, sizeof *vista);
    if (vista == NULL)
        return NULL;
    vista->def = *def;
    vista->stride = def->history->limits.stride * RAIM_MAP_GRID;
    vista->rest = raim_visibility_cache_rest(def->tick_hz);
    if (allocate(vista))
        return vista;
    raim_interest_destroy(vista);
    return NULL;
}

void raim_interest_destroy(struct raim_interest *vista)
{
    if (vista == NULL)
        return;
    free(vista->walking);
    free(vista->flying);
    free(vista->flights);
    free(vista->lives);
    raim_visibility_destroy(vista->visibility);
    raim_box_index_destroy(&vista->walkers);
    raim_box_index_destroy(&vista->fliers);
    raim_visibility_cache_destroy(&vista->players);
    raim_visibility_cache_destroy(&vista->bullets);
    free(vista);
}

const struct raim_history *raim_interest_history(const struct raim_interest *vista)
{
    return vista->def.history;
}

uint32_t raim_interest_tick(const struct raim_interest *vista)
{
    return vista->tick;
}

// --- turning to a tick ---

static void forget_player(struct raim_interest *vista, uint32_t place)
{
    const uint32_t places = vista->def.history->limits.players;
    raim_visibility_cache_forget_target(&vista->players, place, vista->tick);
    for (uint32_t viewer = place; viewer < 2 * places; viewer += places) {
        raim_visibility_cache_forget_viewer(&vista->players, viewer, vista->tick);
        raim_visibility_cache_forget_viewer(&vista->bullets, viewer, vista->tick);
    }
}

static raim_box point_box(raim_vec2 point)
{
    return (raim_box){point, point};
}

static void turn_to_players(struct raim_interest *vista)
{
    const uint32_t places = vista->def.history->limits.players;
    vista->walking_count = 0;
    for (uint32_t place = 0; place < places; place++) {
        const raim_wire_player *player = &vista->frame->players[place];
        struct life *life = &vista->lives[place];
        const bool alive = raim_set_has(vista->frame->seen_players, place);
        if (alive != life->alive || life->life != player->life)
            forget_player(vista, place);
        *life = (struct life){alive, player->life};
        if (alive)
            vista->walking[vista->walking_count++] =
                (struct walker){raim_units(player->x, player->y), place};
    }
    raim_box_index_begin(&vista->walkers, (int)vista->walking_count);
    for (uint32_t i = 0; i < vista->walking_count; i++)
        raim_box_index_add(&vista->walkers, (int)i, point_box(vista->walking[i].position));
    raim_box_index_end(&vista->walkers);
}

// A bullet's whole way is known from the start.
static void launch(struct raim_interest *vista, uint32_t place)
{
    const raim_wire_bullet *bullet = &vista->frame->bullets[place];
    const raim_rules *rules = &vista->def.rules;
    struct flight *flight = &vista->flights[place];
    *flight = (struct flight){
        .flies = true,
        .tick = bullet->tick,
        .fired = bullet->tick + bullet->rewind,
        .origin = raim_units(bullet->x, bullet->y),
        .direction = raim_angle_direction(bullet->aim),
    };
    const double range = rules->bullet_speed * rules->bullet_lifetime;
    const raim_vec2 way = raim_vec2_scale(flight->direction, rules->player_radius + range);
    const double wall = raim_map_sweep(vista->def.map, flight->origin, way, rules->bullet_radius);
    const double flown = wall * (rules->player_radius + range) - rules->player_radius;
    flight->ticks = (flown < range ? flown : range) / rules->bullet_speed * vista->def.tick_hz;
    raim_visibility_cache_forget_target(&vista->bullets, place, vista->tick);
}

static void turn_to_bullets(struct raim_interest *vista)
{
    const struct raim_wire_frame *frame = vista->frame;
    const raim_rules *rules = &vista->def.rules;
    const uint32_t places = raim_wire_bullets(&vista->def.history->limits);
    const double step = rules->bullet_speed / vista->def.tick_hz;
    vista->flying_count = 0;
    for (uint32_t place = raim_set_next(frame->seen_bullets, 0, places); place < places;
         place = raim_set_next(frame->seen_bullets, place + 1, places)) {
        struct flight *flight = &vista->flights[place];
        const raim_wire_bullet *bullet = &frame->bullets[place];
        if (!flight->flies || flight->fired != bullet->tick + bullet->rewind)
            launch(vista, place);
        const double flown = raim_tick_diff(frame->tick, flight->tick);
        vista->flying[vista->flying_count++] = (struct flier){
            .trajectory =
                {
                    .position = raim_vec2_mad(flight->origin, flight->direction,
                                              rules->player_radius + step * flown),
                    .step = raim_vec2_scale(flight->direction, step),
                    .left = flight->ticks > flown ? flight->ticks - flown : 0,
                },
            .place = place,
        };
    }
    raim_box_index_begin(&vista->fliers, (int)vista->flying_count);
    for (uint32_t i = 0; i < vista->flying_count; i++)
        raim_box_index_add(&vista->fliers, (int)i, point_box(vista->flying[i].trajectory.position));
    raim_box_index_end(&vista->fliers);
}

void raim_interest_turn(struct raim_interest *vista, uint32_t tick)
{
    const struct raim_wire_limits *limits = &vista->def.history->limits;
    if (tick != vista->tick + 1) { // what happened in between is unknown
        memset(vista->lives, 0, limits->players * sizeof *vista->lives);
        memset(vista->flights, 0, raim_wire_bullets(limits) * sizeof *vista->flights);
    }
    vista->tick = tick;
    vista->frame = raim_history_at(vista->def.history, tick);
    turn_to_players(vista);
    turn_to_bullets(vista);
    raim_visibility_turn(vista->visibility, tick);
}

// --- looking ---

// A viewer at work.
struct look {
    struct raim_interest *vista;
    struct raim_visibility_cache_query query;
    raim_box players, bullets; // where these have to be to come into view in time
    raim_box near;             // where bullets have to come to
};

static bool is_player_visible(const struct look *look, const struct walker *player)
{
    struct raim_interest *vista = look->vista;
    if (!vista->def.sight || player->place == look->query.viewpoint.place)
        return true;
    const struct raim_view_target target = {
        .place = player->place,
        .centre = player->position,
        .radius = vista->def.rules.player_radius,
    };
    return raim_visibility_cache_may_see(&vista->players, &look->query, &target);
}

static void find_players(const struct look *look, uint64_t *set)
{
    const struct raim_interest *vista = look->vista;
    struct raim_box_index_search search;
    raim_box_index_find(&vista->walkers, look->players, &search);
    for (int i; (i = raim_box_index_next(&search)) >= 0;) {
        const struct walker *player = &vista->walking[i];
        if (raim_box_contains(look->players, player->position) && is_player_visible(look, player))
            raim_set_add(set, player->place);
    }
}

static bool is_bullet_visible(const struct look *look, const struct flier *bullet)
{
    struct raim_interest *vista = look->vista;
    if (!vista->def.sight)
        return true;
    const struct raim_view_target target = {
        .place = bullet->place,
        .centre = bullet->trajectory.position,
        .radius = vista->def.rules.bullet_radius,
        .trajectory = &bullet->trajectory,
    };
    return raim_visibility_cache_may_see(&vista->bullets, &look->query, &target);
}

static void find_bullets(const struct look *look, uint64_t *set)
{
    const struct raim_interest *vista = look->vista;
    struct raim_box_index_search search;
    raim_box_index_find(&vista->fliers, look->bullets, &search);
    for (int i; (i = raim_box_index_next(&search)) >= 0;) {
        const struct flier *bullet = &vista->flying[i];
        const struct raim_trajectory *trajectory = &bullet->trajectory;
        const raim_vec2 start = trajectory->position;
        if (!raim_box_contains(look->bullets, start))
            continue;
        // The box is made for any direction. Where this one takes the bullet matters only there.
        const double flight = raim_trajectory_ticks(trajectory, look->query.latency);
        const raim_vec2 end = raim_trajectory_at(trajectory, flight);
        const raim_box way = raim_box_include((raim_box){start, start}, end);
        if (raim_box_overlaps(look->near, way) && is_bullet_visible(look, bullet))
            raim_set_add(set, bullet->place);
    }
}

// The view, grown on all sides.
static raim_box view_of(const struct look *look, double margin)
{
    const raim_vec2 half = raim_vec2_scale(look->vista->def.view, 0.5);
    const raim_vec2 eye = look->query.viewpoint.eye;
    const raim_box view = {raim_vec2_sub(eye, half), raim_vec2_add(eye, half)};
    return raim_box_grow(view, margin);
}

void raim_interest_find(struct raim_interest *vista, const struct raim_viewer *viewer,
                        uint64_t *players, uint64_t *bullets)
{
    const struct raim_wire_limits *limits = &vista->def.history->limits;
    const raim_wire_player *self = &vista->frame->players[viewer->place];
    memset(players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    memset(bullets, 0, raim_set_words(raim_wire_bullets(limits)) * sizeof(uint64_t));
    assert(viewer->latency <= vista->def.max_latency);
    if (!raim_history_self_at(vista->def.history, vista->tick, viewer->place)->risen)
        return; // it stands nowhere and sees nothing yet
    const raim_rules *rules = &vista->def.rules;
    const bool moves = raim_set_has(vista->frame->seen_players, viewer->place);
    struct look look = {
        .vista = vista,
        .query =
            {
                .visibility = vista->visibility,
                .tick = vista->tick,
                .viewer = viewer->place + (viewer->steers ? 0 : limits->players),
                .latency = viewer->latency,
                .rest = vista->rest,
                .viewpoint = {viewer->place, raim_units(self->x, self->y), moves},
            },
    };
    const double run = vista->stride * viewer->latency, own_run = moves ? run : 0;
    const double flight = rules->bullet_speed / vista->def.tick_hz * viewer->latency;
    look.players = view_of(&look, rules->player_radius + run + own_run);
    look.bullets = view_of(&look, rules->bullet_radius + flight + own_run);
    look.near = view_of(&look, rules->bullet_radius + own_run);
    find_players(&look, players);
    find_bullets(&look, bullets);
}
