// SPDX-License-Identifier: MIT
// Sweeps bullets through the ticks of a step, against obstacles and moving players.
#include "projectile.h"

#include "map_clearance.h"
#include "position_history.h"
#include "sweep.h"

// The straight path of a bullet's centre in one tick.
struct leg {
    raim_vec2 start, displacement;
    double wall; // fraction at which an obstacle or the border stops it, or RAIM_SWEEP_MISS
};

// Returns the position of a bullet when a tick of its flight begins. The path starts at the
// shooter's centre, which is free. A muzzle behind a thin wall or inside another player then hits
// that wall or player.
static raim_vec2 start_of(const raim_rules *rules, uint32_t tick_hz, const raim_bullet *bullet,
                          uint32_t tick)
{
    return tick == bullet->born_tick && bullet->bounces == 0
               ? bullet->origin
               : raim_bullet_position(rules, bullet, tick, tick_hz);
}

static struct leg leg_of(const struct raim_map *map, const raim_rules *rules, uint32_t tick_hz,
                         const raim_bullet *bullet, uint32_t tick)
{
    struct leg leg;
    leg.start = start_of(rules, tick_hz, bullet, tick);
    const raim_vec2 end = raim_bullet_position(rules, bullet, tick + 1, tick_hz);
    leg.displacement = raim_vec2_sub(end, leg.start);
    leg.wall = raim_map_sweep(map, leg.start, leg.displacement, rules->bullet_radius);
    return leg;
}

// How far a bullet is moved into the obstacle that it touches, in units, to find its surface, and
// how far out of it, so that it still does not touch it once it is rounded to the grid.
static const double bounce_probe = 1e-3, bounce_gap = 2 * RAIM_MAP_GRID;

// Reflects a bullet where it touches an obstacle in a tick, if it may be reflected once more.
// Returns false when it ends there.
static bool bounce(raim_bullet *bullet, const struct leg *leg, const struct raim_map *map,
                   const raim_rules *rules, uint32_t tick)
{
    if (bullet->bounces >= rules->bounces)
        return false;
    const raim_vec2 way = bullet->direction;
    const raim_vec2 at = raim_vec2_mad(leg->start, leg->displacement, leg->wall);
    raim_vec2 normal;
    if (!raim_map_normal(map, raim_vec2_mad(at, way, bounce_probe), rules->bullet_radius, at,
                         &normal))
        return false;
    const double into = raim_vec2_dot(way, normal);
    if (into >= 0)
        return false;
    bullet->aim = raim_angle_of(raim_vec2_mad(way, normal, -2 * into));
    bullet->direction = raim_angle_direction(bullet->aim);
    bullet->origin = raim_map_round(raim_vec2_mad(raim_vec2_mad(at, normal, bounce_gap),
                                                  bullet->direction, -rules->player_radius));
    bullet->flown = (uint16_t)(bullet->flown + (tick + 1 - bullet->born_tick));
    bullet->born_tick = tick + 1;
    bullet->bounces++;
    return true;
}

// Returns true for a bullet that was fired in the present tick.
static bool is_new(const struct raim_projectile_context *context, const raim_bullet *bullet)
{
    return raim_bullet_launch_tick(bullet) + bullet->rewind == context->world->tick;
}

// Returns true when a bullet's lifetime is over at the end of a tick.
static bool is_last_tick(const struct raim_projectile_context *context, const raim_bullet *bullet,
                         uint32_t tick)
{
    return raim_tick_diff(tick + 1, raim_bullet_launch_tick(bullet)) >= context->lifetime;
}

// Finds the motion of a living player in a tick. Returns false when it was not alive yet.
static bool motion_of(const struct raim_world *world, uint32_t slot, uint32_t tick,
                      struct raim_tick_motion *motion)
{
    if (tick != world->tick)
        return raim_position_history_motion(world, slot, tick, motion);
    const raim_player *player = &raim_world_players_const(world)[slot];
    *motion =
        (struct raim_tick_motion){player->previous, player->position, player->shield_ticks > 0};
    return true;
}

static bool reaches_first(const struct raim_last_hit *hit, double time, uint32_t bullet)
{
    return time < hit->time || (time == hit->time && bullet < hit->bullet);
}

// The path of a bullet, from the tick its shooter saw or from the present one to the end of the
// present one.
struct path {
    const struct raim_projectile_context *context;
    uint32_t bullet; // its slot
    uint32_t near_count;
    uint16_t near[RAIM_MAX_PLAYERS]; // the slots of the players it may hit
};

// The tolerance for rounding, in units: the positions in the ticks of a path lie this close to the
// straight line.
static const double path_margin = 1e-3;

// Finds the players near a straight path from one point to another. None has moved farther than
// `reach`.
static void find_near(struct path *path, raim_vec2 from, raim_vec2 to, double reach)
{
    const struct raim_player_grid *grid = &path->context->players;
    const raim_rules *rules = &path->context->world->rules;
    const raim_player *players = raim_world_players_const(path->context->world);
    const raim_player_id owner = path->context->bullets[path->bullet].owner;
    const raim_box box =
        raim_box_grow(raim_box_include((raim_box){from, from}, to),
                      rules->player_radius + rules->bullet_radius + reach + path_margin);
    const struct raim_player_grid_span span = raim_player_grid_span_of(grid, box);
    path->near_count = 0;
    for (int row = span.first_row; row <= span.last_row; row++) {
        const uint16_t *heads = &grid->heads[row * grid->columns];
        for (int column = span.first_column; column <= span.last_column; column++)
            for (uint32_t slot = heads[column]; slot != RAIM_PLAYER_GRID_END;
                 slot = grid->next[slot])
                if (raim_box_contains(box, players[slot].position) && players[slot].id != owner)
                    path->near[path->near_count++] = (uint16_t)slot;
    }
}

// Finds the first player that the bullet hits in a leg of its path.
static struct raim_projectile_impact first_impact(const struct path *path, const struct leg *leg,
                                                  uint32_t tick)
{
    const struct raim_projectile_context *context = path->context;
    const struct raim_world *world = context->world;
    const raim_player *players = raim_world_players_const(world);
    const double radius = world->rules.player_radius + world->rules.bullet_radius;
    const double reach = tick == world->tick ? context->reach : context->rewind_reach;
    const raim_box line = raim_box_include((raim_box){leg->start, leg->start},
                                           raim_vec2_add(leg->start, leg->displacement));
    const raim_box box = raim_box_grow(line, radius + reach);
    struct raim_projectile_impact soonest = {.time = RAIM_SWEEP_MISS};
    for (uint32_t i = 0; i < path->near_count; i++) {
        const uint32_t slot = path->near[i];
        struct raim_tick_motion motion;
        if (!raim_box_contains(box, players[slot].position) ||
            !motion_of(world, slot, tick, &motion))
            continue;
        const raim_vec2 moved = raim_vec2_sub(motion.to, motion.from);
        const double part = raim_sweep_circle(leg->start, raim_vec2_sub(leg->displacement, moved),
                                              motion.from, radius);
        if (part > 1 || part > leg->wall)
            continue;
        const double time = raim_tick_diff(tick, world->tick) + part;
        const bool sooner = time < soonest.time || (time == soonest.time && slot < soonest.slot);
        if (sooner && (motion.shielded || reaches_first(&context->hits[slot], time, path->bullet)))
            soonest = (struct raim_projectile_impact){time, slot, motion.shielded};
    }
    return soonest;
}

// Returns true when a bullet that meets no player ends in a leg of its path.
static bool ends(const struct raim_projectile_context *context, raim_bullet *bullet,
                 const struct leg *leg, uint32_t tick)
{
    return is_last_tick(context, bullet, tick) ||
           (leg->wall <= 1 && !bounce(bullet, leg, context->map, &context->world->rules, tick));
}

// Flies a bullet through one tick.
static enum raim_projectile_end fly(const struct path *path, uint32_t tick,
                                    struct raim_projectile_impact *impact)
{
    const struct raim_projectile_context *context = path->context;
    const struct raim_world *world = context->world;
    raim_bullet *bullet = &context->bullets[path->bullet];
    const struct leg leg = leg_of(context->map, &world->rules, world->tick_hz, bullet, tick);
    *impact = first_impact(path, &leg, tick);
    if (impact->time <= 1)
        return RAIM_PROJECTILE_HITS;
    return ends(context, bullet, &leg, tick) ? RAIM_PROJECTILE_STOPS : RAIM_PROJECTILE_GOES_ON;
}

// Returns true when nothing stops a bullet on a path near no player.
static bool is_open(const struct raim_projectile_context *context, const raim_bullet *bullet,
                    raim_vec2 from, raim_vec2 to)
{
    const double radius = context->world->rules.bullet_radius + path_margin;
    return !is_last_tick(context, bullet, context->world->tick) &&
           raim_map_sweep(context->map, from, raim_vec2_sub(to, from), radius) > 1;
}

double raim_projectile_range(const struct raim_projectile_context *context)
{
    const raim_rules *rules = &context->world->rules;
    return rules->player_radius + rules->bullet_radius + context->reach + context->leg / 2;
}

// The loop has no branches: they would be unpredictable.
void raim_projectile_sort(const struct raim_projectile_context *context, const uint16_t *slots,
                          uint32_t count, struct raim_projectile_sort *sort)
{
    const struct raim_world *world = context->world;
    const double room = world->rules.bullet_radius + context->leg / 2;
    uint32_t meeting = 0, stopping = 0;
    for (uint32_t i = 0; i < count; i++) {
        const raim_bullet *bullet = &context->bullets[slots[i]];
        // No point of the path is farther away from its middle than half its length.
        const raim_vec2 middle =
            raim_vec2_mad(raim_bullet_position(&world->rules, bullet, world->tick, world->tick_hz),
                          bullet->direction, context->leg / 2);
        const uint32_t is_near_player = raim_player_grid_is_marked(&context->players, middle);
        const uint32_t is_near_wall = !raim_map_is_clear(context->map, middle, room);
        const uint32_t is_first = is_new(context, bullet);
        const uint32_t is_last = is_last_tick(context, bullet, world->tick);
        const uint32_t meets = is_near_player | is_first;
        sort->meeting[meeting] = slots[i];
        meeting += meets;
        sort->stopping[stopping] = slots[i];
        stopping += (is_near_wall | is_last) & ~meets;
    }
    sort->meeting_count = meeting;
    sort->stopping_count = stopping;
}

bool raim_projectile_stops(const struct raim_projectile_context *context, uint32_t slot)
{
    const struct raim_world *world = context->world;
    raim_bullet *bullet = &context->bullets[slot];
    const struct leg leg = leg_of(context->map, &world->rules, world->tick_hz, bullet, world->tick);
    return ends(context, bullet, &leg, world->tick);
}

bool raim_bullet_pass(raim_bullet *bullet, const struct raim_map *map, const raim_rules *rules,
                      uint32_t tick_hz, uint32_t tick)
{
    const struct leg leg = leg_of(map, rules, tick_hz, bullet, tick);
    const int32_t age = raim_tick_diff(tick + 1, raim_bullet_launch_tick(bullet));
    return age < raim_ticks_of(rules->bullet_lifetime, tick_hz) &&
           (leg.wall > 1 || bounce(bullet, &leg, map, rules, tick));
}

enum raim_projectile_end raim_projectile_find(const struct raim_projectile_context *context,
                                              uint32_t slot, struct raim_projectile_impact *impact)
{
    const struct raim_world *world = context->world;
    const raim_bullet *bullet = &context->bullets[slot];
    const uint32_t now = world->tick;
    const uint32_t first = is_new(context, bullet) ? bullet->born_tick : now;
    const raim_vec2 from = start_of(&world->rules, world->tick_hz, bullet, first);
    const raim_vec2 to = raim_bullet_position(&world->rules, bullet, now + 1, world->tick_hz);
    const double reach = first != now && context->rewind_reach > context->reach
                             ? context->rewind_reach
                             : context->reach;
    struct path path;
    path.context = context;
    path.bullet = slot;
    find_near(&path, from, to, reach);
    if (first != now && path.near_count == 0 && is_open(context, bullet, from, to))
        return RAIM_PROJECTILE_GOES_ON;
    for (uint32_t tick = first;; tick++) {
        const enum raim_projectile_end end = fly(&path, tick, impact);
        if (end != RAIM_PROJECTILE_GOES_ON || tick == now)
            return end;
        if (bullet->born_tick == tick + 1) // it was reflected
            find_near(&path, raim_bullet_position(&world->rules, bullet, tick + 1, world->tick_hz),
                      raim_bullet_position(&world->rules, bullet, now + 1, world->tick_hz), reach);
    }
}
