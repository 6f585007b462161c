// SPDX-License-Identifier: MIT
// Finds what a viewer may be told: cheap questions first, and what their answers spare.
#include "vista.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The time for which an answer is sought that holds on.
static const double rest_s = 0.033;

// fmin costs a call.
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

bool raim_vista_create(struct raim_vista *vista, const struct raim_vista_def *def)
{
    const struct raim_wire_limits *limits = &def->history->limits;
    const uint32_t places = limits->players, bullets = raim_wire_bullets(limits);
    *vista = (struct raim_vista){.def = *def};
    vista->stride = limits->stride * RAIM_MAP_GRID;
    vista->rest = (uint32_t)ceil(rest_s * def->tick_hz);
    vista->longest_run = def->max_latency + vista->rest;
    vista->walking = calloc(places, sizeof *vista->walking);
    vista->flying = calloc(bullets, sizeof *vista->flying);
    vista->flights = calloc(bullets, sizeof *vista->flights);
    vista->lives = calloc(places, sizeof *vista->lives);
    vista->reaches = calloc((size_t)places * (vista->longest_run + 1), sizeof *vista->reaches);
    return vista->walking != NULL && vista->flying != NULL && vista->flights != NULL &&
           vista->lives != NULL && vista->reaches != NULL &&
           raim_pairs_create(&vista->players, places, 2 * places) &&
           raim_pairs_create(&vista->bullets, bullets, 2 * places);
}

void raim_vista_destroy(struct raim_vista *vista)
{
    free(vista->walking);
    free(vista->flying);
    free(vista->flights);
    free(vista->lives);
    free(vista->reaches);
    raim_pairs_destroy(&vista->players);
    raim_pairs_destroy(&vista->bullets);
    *vista = (struct raim_vista){0};
}

// --- turning to a tick ---

static void forget_player(struct raim_vista *vista, uint32_t place)
{
    const uint32_t places = vista->def.history->limits.players;
    raim_pairs_forget_target(&vista->players, place, vista->tick);
    for (uint32_t viewer = place; viewer < 2 * places; viewer += places) {
        raim_pairs_forget_viewer(&vista->players, viewer, vista->tick);
        raim_pairs_forget_viewer(&vista->bullets, viewer, vista->tick);
    }
}

static void turn_to_players(struct raim_vista *vista)
{
    const uint32_t places = vista->def.history->limits.players;
    vista->walking_count = 0;
    for (uint32_t place = 0; place < places; place++) {
        const raim_wire_player *player = &vista->frame->players[place];
        struct raim_vista_life *life = &vista->lives[place];
        const bool alive = raim_set_has(vista->frame->seen_players, place);
        if (alive != life->alive || life->life != player->life)
            forget_player(vista, place);
        *life = (struct raim_vista_life){alive, player->life};
        if (alive)
            vista->walking[vista->walking_count++] =
                (struct raim_vista_player){raim_units(player->x, player->y), place};
    }
}

// A bullet's whole way is known from the start.
static void launch(struct raim_vista *vista, uint32_t place)
{
    const raim_wire_bullet *bullet = &vista->frame->bullets[place];
    const raim_rules *rules = &vista->def.rules;
    struct raim_vista_flight *flight = &vista->flights[place];
    *flight = (struct raim_vista_flight){
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
    flight->ticks = least(flown, range) / rules->bullet_speed * vista->def.tick_hz;
    raim_pairs_forget_target(&vista->bullets, place, vista->tick);
}

static void turn_to_bullets(struct raim_vista *vista)
{
    const struct raim_wire_frame *frame = vista->frame;
    const raim_rules *rules = &vista->def.rules;
    const uint32_t places = raim_wire_bullets(&vista->def.history->limits);
    const double step = rules->bullet_speed / vista->def.tick_hz;
    vista->flying_count = 0;
    for (uint32_t place = raim_set_next(frame->seen_bullets, 0, places); place < places;
         place = raim_set_next(frame->seen_bullets, place + 1, places)) {
        struct raim_vista_flight *flight = &vista->flights[place];
        const raim_wire_bullet *bullet = &frame->bullets[place];
        if (!flight->flies || flight->fired != bullet->tick + bullet->rewind)
            launch(vista, place);
        const double flown = raim_tick_diff(frame->tick, flight->tick);
        vista->flying[vista->flying_count++] = (struct raim_vista_bullet){
            .position = raim_vec2_mad(flight->origin, flight->direction,
                                      rules->player_radius + step * flown),
            .step = raim_vec2_scale(flight->direction, step),
            .left = flight->ticks > flown ? flight->ticks - flown : 0,
            .place = place,
        };
    }
}

void raim_vista_turn(struct raim_vista *vista, uint32_t tick)
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
}

// --- looking ---

// A viewer at work.
struct look {
    struct raim_vista *vista;
    uint32_t viewer; // its number among the pairs
    uint32_t place;
    uint32_t latency;
    raim_vec2 eye;
    bool moves;                      // who is down does not
    const struct raim_reach *stands; // the eye alone
    raim_box players, bullets;       // where these have to be to come into view in time
    raim_box near;                   // where bullets have to come to
};

// Something it looks for.
struct target {
    uint32_t place;
    raim_vec2 centre;
    double radius;
    const struct raim_vista_bullet *bullet; // NULL for a player
};

static bool is_before_or_at(uint32_t a, uint32_t b)
{
    return raim_tick_diff(a, b) <= 0;
}

static const struct raim_reach *reach_of(struct raim_vista *vista, uint32_t place, uint32_t ticks)
{
    struct raim_vista_reach *known = &vista->reaches[place * (vista->longest_run + 1) + ticks];
    if (known->reach.count == 0 || known->tick != vista->tick) {
        const raim_wire_player *player = &vista->frame->players[place];
        known->tick = vista->tick;
        raim_map_reach(vista->def.map, raim_units(player->x, player->y),
                       vista->def.rules.player_radius, vista->stride * ticks, &known->reach);
    }
    return &known->reach;
}

// How many of so many ticks a bullet flies on.
static double flight_of(const struct raim_vista_bullet *bullet, uint32_t ticks)
{
    return least(ticks, bullet->left);
}

// Where a bullet flies, from one tick to another: at every half of a tick, or where these would be
// too many, at every one; and at the end.
static void fly(const struct raim_vista_bullet *bullet, uint32_t from, uint32_t to,
                struct raim_reach *way)
{
    const double last = least(to, bullet->left);
    const double step = to - from < RAIM_REACH_POINTS / 2 ? 0.5 : 1;
    way->count = 0;
    for (double at = from; at < last && way->count < RAIM_REACH_POINTS - 1; at += step)
        way->points[way->count++] = raim_vec2_mad(bullet->position, bullet->step, at);
    way->points[way->count++] = raim_vec2_mad(bullet->position, bullet->step, last);
}

// True when any of a circle is in the rectangle around an eye.
static bool is_in_view(const struct look *look, raim_vec2 eye, raim_vec2 centre, double radius)
{
    const raim_vec2 view = look->vista->def.view;
    const double x = fabs(centre.x - eye.x) - view.x / 2, y = fabs(centre.y - eye.y) - view.y / 2;
    return x <= radius && y <= radius && (x <= 0 || y <= 0 || x * x + y * y <= radius * radius);
}

// The points of a reach that are in a box around a point.
static void keep_inside(raim_vec2 from, raim_vec2 half, const struct raim_reach *reach,
                        struct raim_reach *kept)
{
    kept->count = 0;
    for (int i = 0; i < reach->count; i++) {
        const raim_vec2 offset = raim_vec2_sub(reach->points[i], from);
        kept->points[kept->count] = reach->points[i];
        kept->count += (fabs(offset.x) <= half.x) & (fabs(offset.y) <= half.y);
    }
}

// The box around the points of a reach.
static raim_box around(const struct raim_reach *reach)
{
    raim_box box = {reach->points[0], reach->points[0]};
    for (int i = 1; i < reach->count; i++)
        box = raim_box_include(box, reach->points[i]);
    return box;
}

// As raim_map_peeks, but only of what is in view.
static bool glimpses(const struct look *look, const struct raim_reach *viewer,
                     const struct raim_reach *target, double radius, struct raim_glimpse *glimpse)
{
    const struct raim_map *map = look->vista->def.map;
    const raim_vec2 half = raim_vec2_scale(look->vista->def.view, 0.5);
    const raim_box box = around(target);
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(box.min, box.max), 0.5);
    const raim_vec2 most = raim_vec2_sub(box.max, middle);
    const raim_vec2 reach = {half.x + most.x + radius, half.y + most.y + radius};
    struct raim_reach eyes, seen;
    keep_inside(middle, reach, viewer, &eyes);
    // Most are hidden also where they would be out of view.
    if (eyes.count == 0 || !raim_map_peeks(map, &eyes, target, radius, glimpse))
        return false;
    if (is_in_view(look, glimpse->from, glimpse->to, radius))
        return true;
    for (int i = 0; i < eyes.count; i++) {
        const struct raim_reach eye = {.points = {eyes.points[i]}, .count = 1};
        seen.count = 0;
        for (int j = 0; j < target->count; j++)
            if (is_in_view(look, eyes.points[i], target->points[j], radius))
                seen.points[seen.count++] = target->points[j];
        if (seen.count > 0 && raim_map_peeks(map, &eye, &seen, radius, glimpse))
            return true;
    }
    return false;
}

// True when the viewer sees a circle from one point to another, with nothing near or exactly.
static bool sees(const struct look *look, raim_vec2 from, raim_vec2 to, double radius)
{
    const struct raim_vista_def *def = &look->vista->def;
    return is_in_view(look, from, to, radius) && (raim_clearing_sees(def->clearing, from, to) ||
                                                  raim_map_sees_circle(def->map, from, to, radius));
}

static uint8_t index_of(const struct raim_reach *reach, raim_vec2 point)
{
    int i = 0;
    while (i < reach->count - 1 && (reach->points[i].x != point.x || reach->points[i].y != point.y))
        i++;
    return (uint8_t)i;
}

// True when the viewer comes to see the target if it runs for up to `run` ticks, and the target,
// too, where that is a player. A bullet is looked for on its way from one tick to another.
static bool peeks(const struct look *look, const struct target *target, struct raim_pair *pair,
                  uint32_t run, uint32_t from, uint32_t to)
{
    struct raim_vista *vista = look->vista;
    const struct raim_reach *viewer =
        look->moves ? reach_of(vista, look->place, run) : look->stands;
    struct raim_reach way;
    const struct raim_reach *places = &way;
    if (target->bullet != NULL)
        fly(target->bullet, from, to, &way);
    else
        places = reach_of(vista, target->place, to);
    // Most who come to see something go on doing so between the same points.
    if ((pair->from | pair->to) != 0 && pair->from < viewer->count && pair->to < places->count &&
        sees(look, viewer->points[pair->from], places->points[pair->to], target->radius))
        return true;
    struct raim_glimpse glimpse;
    if (!glimpses(look, viewer, places, target->radius, &glimpse))
        return false;
    pair->from = index_of(viewer, glimpse.from);
    pair->to = index_of(places, glimpse.to);
    return true;
}

static bool was_told(const struct look *look, const struct raim_pair *pair)
{
    return is_before_or_at(look->vista->tick - 1 - look->latency, pair->seen);
}

static bool is_apart(const struct look *look, const struct target *target, uint32_t ticks)
{
    const struct raim_vista *vista = look->vista;
    return target->bullet == NULL && raim_map_is_apart(vista->def.map, look->eye, target->centre,
                                                       target->radius, vista->stride * ticks);
}

// Who comes to see something by running less than it could sees it in the next ticks, too: it may
// run back first. Who does not come to see it by running more need not be asked in these.
static bool is_spared(const struct look *look, const struct target *target, struct raim_pair *pair,
                      bool told_on)
{
    const uint32_t tick = look->vista->tick, latency = look->latency;
    const uint32_t rest = look->vista->rest < latency ? look->vista->rest : latency;
    if (told_on) {
        const uint32_t to = target->bullet != NULL ? latency : latency - rest;
        if (!peeks(look, target, pair, latency - rest, rest, to))
            return false;
        pair->seen = tick + rest - latency;
    } else {
        // Without their reaches first, which take longer to find than this.
        if (!is_apart(look, target, latency + rest) &&
            peeks(look, target, pair, latency + rest, 0, latency + rest))
            return false;
        pair->hidden_until = tick + latency + rest;
        pair->from = pair->to = 0;
    }
    return true;
}

static bool look_closely(const struct look *look, const struct target *target,
                         struct raim_pair *pair)
{
    const uint32_t tick = look->vista->tick, latency = look->latency;
    const bool told_on = was_told(look, pair);
    if (!pair->is_close && is_spared(look, target, pair, told_on))
        return told_on;
    pair->is_close = !pair->is_close;
    const bool told = peeks(look, target, pair, latency, 0, latency);
    if (told)
        pair->seen = tick - latency;
    else
        pair->hidden_until = tick + latency;
    return told;
}

// True for what earlier looks have settled; `told` is the answer.
static bool is_settled(const struct look *look, const struct raim_pair *pair, bool *told)
{
    const uint32_t tick = look->vista->tick;
    *told = is_before_or_at(tick - look->latency, pair->seen);
    return *told || is_before_or_at(tick + look->latency, pair->hidden_until);
}

static bool is_player_told(const struct look *look, const struct raim_vista_player *player)
{
    struct raim_vista *vista = look->vista;
    struct raim_pair *pair = raim_pairs_at(&vista->players, player->place, look->viewer);
    const double radius = vista->def.rules.player_radius;
    bool told;
    if (is_settled(look, pair, &told))
        return told;
    // Most who are told are in plain view, so near to a corner that it takes an exact look.
    if (is_in_view(look, look->eye, player->position, radius) &&
        (raim_clearing_sees(vista->def.clearing, look->eye, player->position) ||
         (was_told(look, pair) &&
          raim_map_sees_circle(vista->def.map, look->eye, player->position, radius)))) {
        pair->seen = vista->tick;
        return true;
    }
    const struct target target = {
        .place = player->place,
        .centre = player->position,
        .radius = radius,
    };
    return look_closely(look, &target, pair);
}

static void find_players(const struct look *look, uint64_t *set)
{
    const struct raim_vista *vista = look->vista;
    for (uint32_t i = 0; i < vista->walking_count; i++) {
        const struct raim_vista_player *player = &vista->walking[i];
        if (!raim_box_contains(look->players, player->position))
            continue;
        if (!vista->def.sight || player->place == look->place || is_player_told(look, player))
            raim_set_add(set, player->place);
    }
}

// True when the viewer sees where a bullet is or will be, with nothing near.
static bool awaits(const struct look *look, const struct raim_vista_bullet *bullet, double ticks)
{
    const struct raim_vista_def *def = &look->vista->def;
    const raim_vec2 there = raim_vec2_mad(bullet->position, bullet->step, ticks);
    return is_in_view(look, look->eye, there, def->rules.bullet_radius) &&
           (raim_clearing_sees(def->clearing, look->eye, there) ||
            raim_map_sees(def->map, look->eye, there));
}

static bool is_bullet_told(const struct look *look, const struct raim_vista_bullet *bullet)
{
    struct raim_vista *vista = look->vista;
    struct raim_pair *pair = raim_pairs_at(&vista->bullets, bullet->place, look->viewer);
    const double flight = flight_of(bullet, look->latency);
    bool told;
    if (is_settled(look, pair, &told))
        return told;
    if (awaits(look, bullet, flight)) {
        pair->seen = vista->tick + (uint32_t)flight - look->latency; // until it has come there
        return true;
    }
    if (awaits(look, bullet, 0)) {
        pair->seen = vista->tick - look->latency;
        return true;
    }
    const struct target target = {
        .place = bullet->place,
        .centre = bullet->position,
        .radius = vista->def.rules.bullet_radius,
        .bullet = bullet,
    };
    return look_closely(look, &target, pair);
}

static void find_bullets(const struct look *look, uint64_t *set)
{
    const struct raim_vista *vista = look->vista;
    for (uint32_t i = 0; i < vista->flying_count; i++) {
        const struct raim_vista_bullet *bullet = &vista->flying[i];
        if (!raim_box_contains(look->bullets, bullet->position))
            continue;
        // The box is made for any direction. Where this one takes the bullet matters only there.
        const raim_vec2 end =
            raim_vec2_mad(bullet->position, bullet->step, flight_of(bullet, look->latency));
        const raim_box way = raim_box_include((raim_box){bullet->position, bullet->position}, end);
        if (!raim_box_overlaps(look->near, way))
            continue;
        if (!vista->def.sight || is_bullet_told(look, bullet))
            raim_set_add(set, bullet->place);
    }
}

// The view, grown on all sides.
static raim_box view_of(const struct look *look, double margin)
{
    const raim_vec2 half = raim_vec2_scale(look->vista->def.view, 0.5);
    const raim_box view = {raim_vec2_sub(look->eye, half), raim_vec2_add(look->eye, half)};
    return raim_box_grow(view, margin);
}

void raim_vista_find(struct raim_vista *vista, const struct raim_viewer *viewer, uint64_t *players,
                     uint64_t *bullets)
{
    const struct raim_wire_limits *limits = &vista->def.history->limits;
    const raim_wire_player *self = &vista->frame->players[viewer->place];
    memset(players, 0, raim_set_words(limits->players) * sizeof(uint64_t));
    memset(bullets, 0, raim_set_words(raim_wire_bullets(limits)) * sizeof(uint64_t));
    assert(viewer->latency <= vista->def.max_latency);
    if (!raim_history_self_at(vista->def.history, vista->tick, viewer->place)->risen)
        return; // it stands nowhere and sees nothing yet
    const raim_rules *rules = &vista->def.rules;
    const struct raim_reach stands = {.points = {raim_units(self->x, self->y)}, .count = 1};
    struct look look = {
        .vista = vista,
        .viewer = viewer->place + (viewer->steers ? 0 : limits->players),
        .place = viewer->place,
        .latency = viewer->latency,
        .eye = stands.points[0],
        .moves = raim_set_has(vista->frame->seen_players, viewer->place),
        .stands = &stands,
    };
    const double run = vista->stride * viewer->latency, own_run = look.moves ? run : 0;
    const double flight = rules->bullet_speed / vista->def.tick_hz * viewer->latency;
    look.players = view_of(&look, rules->player_radius + run + own_run);
    look.bullets = view_of(&look, rules->bullet_radius + flight + own_run);
    look.near = view_of(&look, rules->bullet_radius + own_run);
    find_players(&look, players);
    find_bullets(&look, bullets);
}
