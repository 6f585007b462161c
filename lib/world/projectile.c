// SPDX-License-Identifier: MIT
// Sweeps bullets through the ticks of a step.
#include "projectile.h"

#include "position_history.h"
#include "sweep.h"

// The straight line that a bullet's centre flies in a tick.
struct leg {
    raim_vec2 start, displacement;
    double wall; // fraction at which an obstacle or the border stops it, or RAIM_SWEEP_MISS
};

static struct leg leg_of(const struct raim_sky *sky, const raim_bullet *bullet, uint32_t tick)
{
    const struct raim_world *world = sky->world;
    const raim_rules *rules = &world->rules;
    struct leg leg;
    // It starts at its shooter's centre, which is free, so that a muzzle that pokes through a thin
    // wall or into somebody hits what lies before it.
    leg.start = tick == bullet->born_tick
                    ? bullet->origin
                    : raim_bullet_position(rules, bullet, tick, world->tick_hz);
    const raim_vec2 end = raim_bullet_position(rules, bullet, tick + 1, world->tick_hz);
    leg.displacement = raim_vec2_sub(end, leg.start);
    leg.wall = raim_map_sweep(sky->map, leg.start, leg.displacement, rules->bullet_radius);
    return leg;
}

// Where a living player runs in a tick; false where it did not live yet.
static bool trace_of(const struct raim_world *world, uint32_t place, uint32_t tick,
                     struct raim_trace *trace)
{
    if (tick != world->tick)
        return raim_position_history_trace(world, place, tick, trace);
    const raim_player *player = &raim_world_players_const(world)[place];
    *trace = (struct raim_trace){player->previous, player->position, player->shield_ticks > 0};
    return true;
}

static bool reaches_first(const struct raim_first_hit *hit, double time, uint32_t bullet)
{
    return time < hit->time || (time == hit->time && bullet < hit->bullet);
}

// Flies a bullet in one tick.
static enum raim_projectile_end fly(const struct raim_sky *sky, uint32_t bullet_place,
                                    uint32_t tick, struct raim_projectile_impact *impact)
{
    const struct raim_world *world = sky->world;
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullet = &sky->bullets[bullet_place];
    const struct leg leg = leg_of(sky, bullet, tick);
    const double radius = world->rules.player_radius + world->rules.bullet_radius;
    const double reach = tick == world->tick ? sky->columns.reach : sky->past_reach;
    const raim_box path = raim_box_include((raim_box){leg.start, leg.start},
                                           raim_vec2_add(leg.start, leg.displacement));
    const raim_box box = raim_box_grow(path, radius + reach);
    uint32_t first, end;
    raim_broadphase_find(&sky->columns, box.min.x, box.max.x, &first, &end);

    struct raim_projectile_impact soonest = {.time = RAIM_SWEEP_MISS};
    for (uint32_t i = first; i < end; i++) {
        const uint32_t place = sky->columns.places[i];
        struct raim_trace trace;
        if (!raim_box_contains(box, players[place].position) ||
            players[place].id == bullet->owner || !trace_of(world, place, tick, &trace))
            continue;
        const raim_vec2 moved = raim_vec2_sub(trace.to, trace.from);
        const double part = raim_sweep_circle(leg.start, raim_vec2_sub(leg.displacement, moved),
                                              trace.from, radius);
        if (part > 1 || part > leg.wall)
            continue;
        const double time = raim_tick_diff(tick, world->tick) + part;
        const bool sooner = time < soonest.time || (time == soonest.time && place < soonest.place);
        if (sooner && (trace.shielded || reaches_first(&sky->hits[place], time, bullet_place)))
            soonest = (struct raim_projectile_impact){time, place, trace.shielded};
    }
    if (soonest.time <= 1) {
        *impact = soonest;
        return RAIM_PROJECTILE_HITS;
    }
    const int32_t age = raim_tick_diff(tick + 1, bullet->born_tick);
    return leg.wall <= 1 || age >= sky->lifetime ? RAIM_PROJECTILE_STOPS : RAIM_PROJECTILE_GOES_ON;
}

enum raim_projectile_end raim_projectile_find(const struct raim_sky *sky, uint32_t place,
                                              struct raim_projectile_impact *impact)
{
    const raim_bullet *bullet = &sky->bullets[place];
    const uint32_t now = sky->world->tick;
    uint32_t tick = bullet->born_tick + bullet->rewind == now ? bullet->born_tick : now;
    for (;; tick++) {
        const enum raim_projectile_end end = fly(sky, place, tick, impact);
        if (end != RAIM_PROJECTILE_GOES_ON || tick == now)
            return end;
    }
}
