// SPDX-License-Identifier: MIT
// Finds what a viewer may be told: cheap questions first, and what their answers spare.
#include "interest.h"

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

bool raim_interest_create(struct raim_interest *vista, const struct raim_interest_def *def)
{
    const struct raim_wire_limits *limits = &def->history->limits;
    const uint32_t places = limits->players, bullets = raim_wire_bullets(limits);
    *vista = (struct raim_interest){.def = *def};
    vista->stride = limits->stride * RAIM_MAP_GRID;
    vista->rest = (uint32_t)ceil(rest_s * def->tick_hz);
    vista->longest_run = def->max_latency + vista->rest;
    vista->walking = calloc(places, sizeof *vista->walking);
    vista->flying = calloc(bullets, sizeof *vista->flying);
    vista->flights = calloc(bullets, sizeof *vista->flights);
    vista->lives = calloc(places, sizeof *vista->lives);
    const size_t runs = (size_t)places * (vista->longest_run + 1); // by place and ticks
    vista->runners = calloc(places, sizeof *vista->runners);
    vista->reaches = calloc(runs, sizeof *vista->reaches);
    vista->points = calloc(runs * RAIM_RUN_WAYS, sizeof *vista->points);
    const raim_box border = def->map->border;
    return vista->walking != NULL && vista->flying != NULL && vista->flights != NULL &&
           vista->lives != NULL && vista->runners != NULL && vista->reaches != NULL &&
           vista->points != NULL && raim_box_index_create(&vista->walkers, border, (int)places) &&
           raim_box_index_create(&vista->fliers, border, (int)bullets) &&
           raim_visibility_cache_create(&vista->players, places, 2 * places) &&
           raim_visibility_cache_create(&vista->bullets, bullets, 2 * places);
}

void raim_interest_destroy(struct raim_interest *vista)
{
    free(vista->walking);
    free(vista->flying);
    free(vista->flights);
    free(vista->lives);
    free(vista->runners);
    free(vista->reaches);
    free(vista->points);
    raim_box_index_destroy(&vista->walkers);
    raim_box_index_destroy(&vista->fliers);
    raim_visibility_cache_destroy(&vista->players);
    raim_visibility_cache_destroy(&vista->bullets);
    *vista = (struct raim_interest){0};
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
        struct raim_interest_life *life = &vista->lives[place];
        const bool alive = raim_set_has(vista->frame->seen_players, place);
        if (alive != life->alive || life->life != player->life)
            forget_player(vista, place);
        *life = (struct raim_interest_life){alive, player->life};
        if (alive)
            vista->walking[vista->walking_count++] =
                (struct raim_interest_player){raim_units(player->x, player->y), place};
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
    struct raim_interest_flight *flight = &vista->flights[place];
    *flight = (struct raim_interest_flight){
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
        struct raim_interest_flight *flight = &vista->flights[place];
        const raim_wire_bullet *bullet = &frame->bullets[place];
        if (!flight->flies || flight->fired != bullet->tick + bullet->rewind)
            launch(vista, place);
        const double flown = raim_tick_diff(frame->tick, flight->tick);
        vista->flying[vista->flying_count++] = (struct raim_interest_bullet){
            .position = raim_vec2_mad(flight->origin, flight->direction,
                                      rules->player_radius + step * flown),
            .step = raim_vec2_scale(flight->direction, step),
            .left = flight->ticks > flown ? flight->ticks - flown : 0,
            .place = place,
        };
    }
    raim_box_index_begin(&vista->fliers, (int)vista->flying_count);
    for (uint32_t i = 0; i < vista->flying_count; i++)
        raim_box_index_add(&vista->fliers, (int)i, point_box(vista->flying[i].position));
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
}

// --- looking ---

// A viewer at work.
struct look {
    struct raim_interest *vista;
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
    const struct raim_interest_bullet *bullet; // NULL for a player
};

static bool is_before_or_at(uint32_t a, uint32_t b)
{
    return raim_tick_diff(a, b) <= 0;
}

static struct raim_runner *runner_of(struct raim_interest *vista, uint32_t place)
{
    struct raim_interest_runner *known = &vista->runners[place];
    if (known->runner.map == NULL || known->tick != vista->tick) {
        const raim_wire_player *player = &vista->frame->players[place];
        const size_t points = (size_t)RAIM_RUN_WAYS * (vista->longest_run + 1);
        known->tick = vista->tick;
        raim_runner_begin(&known->runner, vista->def.map, raim_units(player->x, player->y),
                          vista->def.rules.player_radius, vista->stride, (int)vista->longest_run,
                          &vista->points[place * points]);
    }
    return &known->runner;
}

static const struct raim_reach *reach_of(struct raim_interest *vista, uint32_t place,
                                         uint32_t ticks)
{
    struct raim_interest_reach *known = &vista->reaches[place * (vista->longest_run + 1) + ticks];
    if (known->reach.count == 0 || known->tick != vista->tick) {
        known->tick = vista->tick;
        raim_runner_reach(runner_of(vista, place), (int)ticks, &known->reach);
    }
    return &known->reach;
}

// How many of so many ticks a bullet flies on.
static double flight_of(const struct raim_interest_bullet *bullet, uint32_t ticks)
{
    return least(ticks, bullet->left);
}

// When a bullet's way, from one tick to another, is looked at: at every half of a tick, or where
// these would be too many, at every one; and at the end.
static double moment_of(const struct raim_interest_bullet *bullet, uint32_t from, uint32_t to,
                        int choice)
{
    const double step = to - from < RAIM_REACH_POINTS / 2 ? 0.5 : 1;
    return least(from + step * choice, flight_of(bullet, to));
}

static raim_vec2 flight_at(const struct raim_interest_bullet *bullet, double moment)
{
    return raim_vec2_mad(bullet->position, bullet->step, moment);
}

static void fly(const struct raim_interest_bullet *bullet, uint32_t from, uint32_t to,
                struct raim_reach *way)
{
    const double last = flight_of(bullet, to);
    double moment;
    way->count = 0;
    do {
        moment = moment_of(bullet, from, to, way->count);
        way->choices[way->count] = (uint8_t)way->count;
        way->points[way->count++] = flight_at(bullet, moment);
    } while (moment < last && way->count < RAIM_REACH_POINTS);
    const raim_vec2 end = way->points[way->count - 1];
    way->centre = raim_vec2_scale(raim_vec2_add(way->points[0], end), 0.5);
    way->extent = sqrt(raim_vec2_distance_squared(way->points[0], end)) / 2;
}

// True when any of a circle is in the rectangle around an eye.
static bool is_in_view(const struct look *look, raim_vec2 eye, raim_vec2 centre, double radius)
{
    return raim_is_in_view(look->vista->def.view, eye, centre, radius);
}

// How both may move until they are to see each other: for up to so many ticks, or where the target
// is a bullet, it flies on from one tick to another.
struct outlook {
    uint32_t run, from, to;
};

// True when it is known between which points the viewer comes to see the target, if not at once, by
// running a little longer: the two are close to telling or to hiding.
static bool has_witness(const struct raim_pair *pair)
{
    return (pair->from | pair->to) != 0;
}

// True when the viewer comes to see the target between the points between which it last did. They
// are all that has to be worked out of the two reaches.
static bool peeks_again(const struct look *look, const struct target *target,
                        const struct raim_pair *pair, struct outlook outlook)
{
    if (!has_witness(pair))
        return false;
    struct raim_interest *vista = look->vista;
    const raim_vec2 from =
        look->moves ? raim_runner_at(runner_of(vista, look->place), pair->from, (int)outlook.run)
                    : look->eye;
    const raim_vec2 to =
        target->bullet != NULL
            ? flight_at(target->bullet,
                        moment_of(target->bullet, outlook.from, outlook.to, pair->to))
            : raim_runner_at(runner_of(vista, target->place), pair->to, (int)outlook.to);
    return is_in_view(look, from, to, target->radius) &&
           raim_map_sees_circle(vista->def.map, from, to, target->radius);
}

static bool peeks(const struct look *look, const struct target *target, struct raim_pair *pair,
                  struct outlook outlook)
{
    struct raim_interest *vista = look->vista;
    const struct raim_interest_def *def = &vista->def;
    const struct raim_reach *viewer =
        look->moves ? reach_of(vista, look->place, outlook.run) : look->stands;
    struct raim_reach flight;
    const struct raim_reach *places = &flight;
    if (target->bullet != NULL)
        fly(target->bullet, outlook.from, outlook.to, &flight);
    else
        places = reach_of(vista, target->place, outlook.to);
    struct raim_glimpse glimpse;
    if (!raim_map_pvs_sees(def->map, viewer, places, target->radius, def->view, &pair->blocker,
                           &glimpse))
        return false;
    pair->from = viewer->choices[glimpse.from];
    pair->to = places->choices[glimpse.to];
    return true;
}

static bool was_told(const struct look *look, const struct raim_pair *pair)
{
    return is_before_or_at(look->vista->tick - 1 - look->latency, pair->seen);
}

// True when neither of two players can come to see the other; then this is known of both.
static bool is_apart(const struct look *look, const struct target *target, struct raim_pair *pair,
                     uint32_t ticks)
{
    struct raim_interest *vista = look->vista;
    if (target->bullet != NULL ||
        !raim_map_is_apart(vista->def.map, look->eye, target->centre, target->radius,
                           vista->stride * ticks, &pair->blocker))
        return false;
    struct raim_pair *reverse =
        raim_visibility_cache_at(&vista->players, look->place, target->place);
    if (is_before_or_at(reverse->hidden_until, vista->tick + ticks))
        reverse->hidden_until = vista->tick + ticks;
    return true;
}

// Who comes to see something by running less than it could sees it in the next ticks, too: it may
// run back first. To know of one such run is worth a look, to search for others is not.
static bool is_told_on(const struct look *look, const struct target *target, struct raim_pair *pair,
                       uint32_t rest)
{
    const uint32_t latency = look->latency;
    const struct outlook outlook = {
        .run = latency - rest,
        .from = rest,
        .to = target->bullet != NULL ? latency : latency - rest,
    };
    const bool told_on = has_witness(pair) ? peeks_again(look, target, pair, outlook)
                                           : peeks(look, target, pair, outlook);
    if (told_on)
        pair->seen = look->vista->tick + rest - latency;
    return told_on;
}

// Who does not come to see it by running more need not be asked in these.
static bool is_hidden_on(const struct look *look, const struct target *target,
                         struct raim_pair *pair, uint32_t rest)
{
    const uint32_t longer = look->latency + rest;
    const struct outlook outlook = {longer, 0, longer};
    // Without their reaches first, which take longer to find than the rest.
    if (peeks_again(look, target, pair, outlook) ||
        (!is_apart(look, target, pair, longer) && peeks(look, target, pair, outlook)))
        return false;
    pair->hidden_until = look->vista->tick + longer;
    pair->from = pair->to = 0;
    return true;
}

// Most who were told are so for longer, and most who were not are not; this is asked first. Who is
// close is asked about this tick before: what longer runs miss, going past a gap, this one may
// find.
static bool look_closely(const struct look *look, const struct target *target,
                         struct raim_pair *pair)
{
    const uint32_t tick = look->vista->tick, latency = look->latency;
    const uint32_t rest = look->vista->rest < latency ? look->vista->rest : latency;
    const bool told_before = was_told(look, pair), is_close = has_witness(pair);
    if (told_before ? is_told_on(look, target, pair, rest)
                    : !is_close && is_hidden_on(look, target, pair, rest))
        return told_before;
    const struct outlook outlook = {latency, 0, latency};
    if (peeks_again(look, target, pair, outlook) || peeks(look, target, pair, outlook)) {
        pair->seen = tick - latency;
        return true;
    }
    pair->hidden_until = tick + latency;
    if (is_close && !told_before)
        is_hidden_on(look, target, pair, rest);
    return false;
}

// True for what earlier looks have settled; `told` is the answer.
static bool is_settled(const struct look *look, const struct raim_pair *pair, bool *told)
{
    const uint32_t tick = look->vista->tick;
    *told = is_before_or_at(tick - look->latency, pair->seen);
    return *told || is_before_or_at(tick + look->latency, pair->hidden_until);
}

// True for whom the viewer could not see by running now.
static bool is_hidden(const struct look *look, const struct raim_pair *pair)
{
    return is_before_or_at(look->vista->tick, pair->hidden_until);
}

static bool is_player_told(const struct look *look, const struct raim_interest_player *player)
{
    struct raim_interest *vista = look->vista;
    struct raim_pair *pair = raim_visibility_cache_at(&vista->players, player->place, look->viewer);
    const double radius = vista->def.rules.player_radius;
    bool told;
    if (is_settled(look, pair, &told))
        return told;
    // Most who are told are in plain view, so near to a corner that it takes an exact look.
    if (!is_hidden(look, pair) && is_in_view(look, look->eye, player->position, radius) &&
        (raim_distance_field_sees(vista->def.clearing, look->eye, player->position) ||
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
    const struct raim_interest *vista = look->vista;
    struct raim_box_index_search search;
    raim_box_index_find(&vista->walkers, look->players, &search);
    for (int i; (i = raim_box_index_next(&search)) >= 0;) {
        const struct raim_interest_player *player = &vista->walking[i];
        if (!raim_box_contains(look->players, player->position))
            continue;
        if (!vista->def.sight || player->place == look->place || is_player_told(look, player))
            raim_set_add(set, player->place);
    }
}

// True when the viewer sees where a bullet is or will be, with nothing near.
static bool awaits(const struct look *look, const struct raim_interest_bullet *bullet, double ticks)
{
    const struct raim_interest_def *def = &look->vista->def;
    const raim_vec2 there = raim_vec2_mad(bullet->position, bullet->step, ticks);
    return is_in_view(look, look->eye, there, def->rules.bullet_radius) &&
           (raim_distance_field_sees(def->clearing, look->eye, there) ||
            raim_map_sees(def->map, look->eye, there));
}

static bool is_bullet_told(const struct look *look, const struct raim_interest_bullet *bullet)
{
    struct raim_interest *vista = look->vista;
    struct raim_pair *pair = raim_visibility_cache_at(&vista->bullets, bullet->place, look->viewer);
    const double flight = flight_of(bullet, look->latency);
    bool told;
    if (is_settled(look, pair, &told))
        return told;
    const bool is_near_view = !is_hidden(look, pair);
    if (is_near_view && awaits(look, bullet, flight)) {
        pair->seen = vista->tick + (uint32_t)flight - look->latency; // until it has come there
        return true;
    }
    if (is_near_view && awaits(look, bullet, 0)) {
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
    const struct raim_interest *vista = look->vista;
    struct raim_box_index_search search;
    raim_box_index_find(&vista->fliers, look->bullets, &search);
    for (int i; (i = raim_box_index_next(&search)) >= 0;) {
        const struct raim_interest_bullet *bullet = &vista->flying[i];
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
    const raim_vec2 eye = raim_units(self->x, self->y);
    const struct raim_reach stands = {.points = {eye}, .count = 1, .centre = eye};
    struct look look = {
        .vista = vista,
        .viewer = viewer->place + (viewer->steers ? 0 : limits->players),
        .place = viewer->place,
        .latency = viewer->latency,
        .eye = eye,
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
