// SPDX-License-Identifier: MIT
// One tick of the game: move, push apart, fire, fly, hit, rise.
#include "columns.h"
#include "footing.h"
#include "spawn.h"
#include "sweep.h"
#include "world.h"

#include <assert.h>
#include <math.h>

struct step {
    struct raim_world *world;
    const struct raim_map *map;
    const raim_input *inputs;
    struct raim_events *events;
    raim_player *players;
    raim_bullet *bullets;
    struct raim_columns columns;
};

static uint16_t count_down(uint16_t ticks)
{
    return ticks > 0 ? (uint16_t)(ticks - 1) : 0;
}

static void emit(struct step *step, enum raim_event_kind kind, raim_player_id actor,
                 raim_player_id victim)
{
    struct raim_events *events = step->events;
    if (events->count == events->capacity) {
        events->dropped++;
        return;
    }
    events->items[events->count++] = (raim_event){kind, actor, victim};
}

static void move_players(struct step *step)
{
    const struct raim_world *world = step->world;
    const struct raim_stride stride = raim_world_stride(&world->rules, world->tick_hz);
    for (uint32_t place = 0; place < world->max_players; place++) {
        raim_player *player = &step->players[place];
        // Also of those who are down: a new life is no reason to fire sooner.
        player->cooldown_ticks = count_down(player->cooldown_ticks);
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const raim_input *input = &step->inputs[place];
        assert(input->move_x >= -1 && input->move_x <= 1);
        assert(input->move_y >= -1 && input->move_y <= 1);
        player->previous = player->position;
        player->aim = input->aim;
        player->shield_ticks = count_down(player->shield_ticks);
        if (input->move_x == 0 && input->move_y == 0)
            continue;
        const bool is_diagonal = input->move_x != 0 && input->move_y != 0;
        const double length = (is_diagonal ? stride.diagonal : stride.straight) * RAIM_MAP_GRID;
        const raim_vec2 run = {input->move_x * length, input->move_y * length};
        player->position = raim_footing_run(step->map, player->position, run,
                                            world->rules.player_radius, world->tick);
    }
}

static void push_pair_apart(const struct step *step, raim_player *a, raim_player *b)
{
    const double radius = step->world->rules.player_radius;
    const raim_vec2 between = raim_vec2_sub(b->position, a->position);
    const double squared = raim_vec2_length_squared(between);
    if (squared >= 4 * radius * radius)
        return;
    const double distance = sqrt(squared);
    const raim_vec2 normal =
        distance > 0 ? raim_vec2_scale(between, 1 / distance) : (raim_vec2){1, 0};
    const raim_vec2 half = raim_vec2_scale(normal, (2 * radius - distance) / 2);
    a->position = raim_footing_push(step->map, a->position, raim_vec2_scale(half, -1), radius);
    b->position = raim_footing_push(step->map, b->position, half, radius);
}

// One pass: what a crowd leaves overlapping, the next tick pushes further.
static void push_players_apart(struct step *step)
{
    const struct raim_columns *columns = &step->columns;
    const double width = 2 * step->world->rules.player_radius;
    for (uint32_t i = 0; i < columns->count; i++) {
        raim_player *player = &step->players[columns->places[i]];
        uint32_t first, end;
        raim_columns_find(columns, player->position.x, player->position.x + width, &first, &end);
        for (uint32_t j = i + 1; j < end; j++) {
            raim_player *other = &step->players[columns->places[j]];
            if (fabs(other->position.y - player->position.y) < width)
                push_pair_apart(step, player, other);
        }
    }
}

static void fire(struct step *step)
{
    struct raim_world *world = step->world;
    for (uint32_t place = 0; place < world->max_players; place++) {
        raim_player *player = &step->players[place];
        if (player->state != RAIM_PLAYER_ALIVE || !step->inputs[place].fire ||
            player->cooldown_ticks > 0)
            continue;
        // In turn: by when its turn comes again, a bullet has ended.
        raim_bullet *bullet = &step->bullets[place * world->shots + player->shots % world->shots];
        if (bullet->owner != RAIM_NOBODY)
            continue; // only where RAIM_MAX_BULLETS bounds the rules: a dry shot
        *bullet = (raim_bullet){
            .origin = player->position,
            .direction = raim_angle_direction(player->aim),
            .born_tick = world->tick,
            .owner = player->id,
            .aim = player->aim,
        };
        player->cooldown_ticks = raim_ticks_of(world->rules.fire_cooldown, world->tick_hz);
        player->shield_ticks = 0;
        player->shots++;
        emit(step, RAIM_EVENT_FIRE, player->id, RAIM_NOBODY);
    }
}

// The straight line that a bullet's centre flies in this tick.
struct flight {
    raim_vec2 start, displacement;
    double wall; // fraction at which an obstacle or the border stops it, or RAIM_SWEEP_MISS
};

static struct flight flight_of(const struct step *step, const raim_bullet *bullet)
{
    const struct raim_world *world = step->world;
    const raim_rules *rules = &world->rules;
    struct flight flight;
    // A fresh bullet starts at its shooter's centre, which is free, so that a muzzle that pokes
    // through a thin wall or into somebody hits what lies before it.
    flight.start = bullet->born_tick == world->tick
                       ? bullet->origin
                       : raim_bullet_position(rules, bullet, world->tick, world->tick_hz);
    const raim_vec2 end = raim_bullet_position(rules, bullet, world->tick + 1, world->tick_hz);
    flight.displacement = raim_vec2_sub(end, flight.start);
    flight.wall =
        raim_map_sweep(step->map, flight.start, flight.displacement, rules->bullet_radius);
    return flight;
}

enum { NO_BULLET = UINT16_MAX };

// The bullet that reaches a player first in this tick.
struct first_hit {
    double time; // fraction of the tick
    uint32_t bullet;
};

struct target {
    uint32_t place;
    double time; // RAIM_SWEEP_MISS: none
};

static bool reaches_first(const struct first_hit *hit, double time, uint32_t bullet)
{
    return time < hit->time || (time == hit->time && bullet < hit->bullet);
}

// The first player that a bullet meets before any wall, among those that no earlier bullet takes.
static struct target target_of(const struct step *step, uint32_t bullet_place,
                               const struct flight *flight, const struct first_hit *hits)
{
    const struct raim_world *world = step->world;
    const raim_player_id owner = step->bullets[bullet_place].owner;
    const double radius = world->rules.player_radius + world->rules.bullet_radius;
    const raim_box path = raim_box_include((raim_box){flight->start, flight->start},
                                           raim_vec2_add(flight->start, flight->displacement));
    const raim_box box = raim_box_grow(path, radius + step->columns.reach);
    uint32_t first, end;
    raim_columns_find(&step->columns, box.min.x, box.max.x, &first, &end);

    struct target target = {0, RAIM_SWEEP_MISS};
    for (uint32_t i = first; i < end; i++) {
        const uint32_t place = step->columns.places[i];
        const raim_player *player = &step->players[place];
        if (!raim_box_contains(box, player->position) || player->id == owner)
            continue;
        const raim_vec2 moved = raim_vec2_sub(player->position, player->previous);
        const double time = raim_sweep_circle(
            flight->start, raim_vec2_sub(flight->displacement, moved), player->previous, radius);
        if (time > 1 || time > flight->wall)
            continue;
        const bool sooner = time < target.time || (time == target.time && place < target.place);
        const bool shielded = player->shield_ticks > 0;
        if (sooner && (shielded || reaches_first(&hits[place], time, bullet_place)))
            target = (struct target){place, time};
    }
    return target;
}

static void end_bullet(struct step *step, uint32_t place)
{
    step->bullets[place] = (raim_bullet){0};
}

// Flies one bullet. A player falls to the bullet that reaches it first; a bullet that comes too
// late flies on to its next target, so bullets are matched to victims as in Gale and Shapley,
// College Admissions and the Stability of Marriage, 1962: the order of bullets does not matter.
static void fly(struct step *step, uint32_t place, struct first_hit *hits)
{
    const struct raim_world *world = step->world;
    const uint16_t lifetime = raim_ticks_of(world->rules.bullet_lifetime, world->tick_hz);
    while (place != NO_BULLET) {
        const raim_bullet *bullet = &step->bullets[place];
        const struct flight flight = flight_of(step, bullet);
        const struct target target = target_of(step, place, &flight, hits);
        if (target.time > 1) {
            const int32_t age = raim_tick_diff(world->tick + 1, bullet->born_tick);
            if (flight.wall <= 1 || age >= lifetime)
                end_bullet(step, place);
            return;
        }
        raim_player *victim = &step->players[target.place];
        if (victim->shield_ticks > 0) {
            step->players[raim_player_place(bullet->owner)].hits++;
            emit(step, RAIM_EVENT_HIT, bullet->owner, victim->id);
            end_bullet(step, place);
            return;
        }
        const uint32_t late = hits[target.place].bullet;
        hits[target.place] = (struct first_hit){target.time, place};
        place = late;
    }
}

static void settle_hits(struct step *step, const struct first_hit *hits)
{
    struct raim_world *world = step->world;
    for (uint32_t place = 0; place < world->max_players; place++) {
        if (hits[place].bullet == NO_BULLET)
            continue;
        const raim_player_id owner = step->bullets[hits[place].bullet].owner;
        raim_player *shooter = &step->players[raim_player_place(owner)];
        raim_player *victim = &step->players[place];
        shooter->hits++;
        shooter->score++;
        victim->deaths++;
        victim->state = RAIM_PLAYER_DOWN;
        victim->respawn_ticks = raim_ticks_of(world->rules.respawn_delay, world->tick_hz);
        emit(step, RAIM_EVENT_HIT, owner, victim->id);
        emit(step, RAIM_EVENT_KILL, owner, victim->id);
        end_bullet(step, hits[place].bullet);
    }
}

static void fly_bullets(struct step *step)
{
    struct raim_world *world = step->world;
    struct first_hit hits[RAIM_MAX_PLAYERS];
    for (uint32_t place = 0; place < world->max_players; place++)
        hits[place] = (struct first_hit){RAIM_SWEEP_MISS, NO_BULLET};
    for (uint32_t place = 0; place < world->max_bullets; place++)
        if (step->bullets[place].owner != RAIM_NOBODY)
            fly(step, place, hits);
    settle_hits(step, hits);
}

static void raise_players(struct step *step)
{
    struct raim_world *world = step->world;
    for (uint32_t place = 0; place < world->max_players; place++) {
        raim_player *player = &step->players[place];
        if (player->state != RAIM_PLAYER_DOWN)
            continue;
        if (player->respawn_ticks > 0) {
            player->respawn_ticks--;
            continue;
        }
        if (!raim_spawn_find(world, step->map, &player->position))
            continue;
        player->previous = player->position;
        player->state = RAIM_PLAYER_ALIVE;
        player->shield_ticks = raim_ticks_of(world->rules.spawn_protection, world->tick_hz);
        player->life++;
        emit(step, RAIM_EVENT_SPAWN, player->id, RAIM_NOBODY);
    }
}

void raim_world_step(struct raim_world *world, const struct raim_map *map, const raim_input *inputs,
                     struct raim_events *events)
{
    static_assert(RAIM_MAX_BULLETS < NO_BULLET, "a place is no bullet");
    struct step step = {
        .world = world,
        .map = map,
        .inputs = inputs,
        .events = events,
        .players = raim_world_players(world),
        .bullets = raim_world_bullets(world),
    };
    events->count = 0;
    events->dropped = 0;
    move_players(&step);
    raim_columns_build(&step.columns, world, map->border);
    push_players_apart(&step);
    fire(&step);
    // Pushing moved some of them.
    raim_columns_build(&step.columns, world, map->border);
    fly_bullets(&step);
    raise_players(&step);
    world->tick++;
}
