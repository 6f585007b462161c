// SPDX-License-Identifier: MIT
// Sweeps bullets through the ticks of a step, against obstacles and moving players.
#include "projectile.h"

#include "position_history.h"
#include "sweep.h"

// The straight path of a bullet's centre in one tick.
struct leg {
    raim_vec2 start, displacement;
    double wall; // fraction at which an obstacle or the border stops it, or RAIM_SWEEP_MISS
};

static struct leg leg_of(const struct raim_projectile_context *context, const raim_bullet *bullet,
                         uint32_t tick)
{
    const struct raim_world *world = context->world;
    const raim_rules *rules = &world->rules;
    struct leg leg;
    // The path starts at the shooter's centre, which is free. A muzzle behind a thin wall or inside
    // another player then hits that wall or player.
    leg.start = tick == bullet->born_tick
                    ? bullet->origin
                    : raim_bullet_position(rules, bullet, tick, world->tick_hz);
    const raim_vec2 end = raim_bullet_position(rules, bullet, tick + 1, world->tick_hz);
    leg.displacement = raim_vec2_sub(end, leg.start);
    leg.wall = raim_map_sweep(context->map, leg.start, leg.displacement, rules->bullet_radius);
    return leg;
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

static bool reaches_first(const struct raim_first_hit *hit, double time, uint32_t bullet)
{
    return time < hit->time || (time == hit->time && bullet < hit->bullet);
}

// Flies a bullet through one tick.
static enum raim_projectile_end fly(const struct raim_projectile_context *context,
                                    uint32_t bullet_slot, uint32_t tick,
                                    struct raim_projectile_impact *impact)
{
    const struct raim_world *world = context->world;
    const raim_player *players = raim_world_players_const(world);
    const raim_bullet *bullet = &context->bullets[bullet_slot];
    const struct leg leg = leg_of(context, bullet, tick);
    const double radius = world->rules.player_radius + world->rules.bullet_radius;
    const double reach = tick == world->tick ? context->broadphase.reach : context->rewind_reach;
    const raim_box path = raim_box_include((raim_box){leg.start, leg.start},
                                           raim_vec2_add(leg.start, leg.displacement));
    const raim_box box = raim_box_grow(path, radius + reach);
    uint32_t first, end;
    raim_broadphase_find(&context->broadphase, box.min.x, box.max.x, &first, &end);

    struct raim_projectile_impact soonest = {.time = RAIM_SWEEP_MISS};
    for (uint32_t i = first; i < end; i++) {
        const uint32_t slot = context->broadphase.slots[i];
        struct raim_tick_motion motion;
        if (!raim_box_contains(box, players[slot].position) || players[slot].id == bullet->owner ||
            !motion_of(world, slot, tick, &motion))
            continue;
        const raim_vec2 moved = raim_vec2_sub(motion.to, motion.from);
        const double part = raim_sweep_circle(leg.start, raim_vec2_sub(leg.displacement, moved),
                                              motion.from, radius);
        if (part > 1 || part > leg.wall)
            continue;
        const double time = raim_tick_diff(tick, world->tick) + part;
        const bool sooner = time < soonest.time || (time == soonest.time && slot < soonest.slot);
        if (sooner && (motion.shielded || reaches_first(&context->hits[slot], time, bullet_slot)))
            soonest = (struct raim_projectile_impact){time, slot, motion.shielded};
    }
    if (soonest.time <= 1) {
        *impact = soonest;
        return RAIM_PROJECTILE_HITS;
    }
    const int32_t age = raim_tick_diff(tick + 1, bullet->born_tick);
    return leg.wall <= 1 || age >= context->lifetime ? RAIM_PROJECTILE_STOPS
                                                     : RAIM_PROJECTILE_GOES_ON;
}

enum raim_projectile_end raim_projectile_find(const struct raim_projectile_context *context,
                                              uint32_t slot, struct raim_projectile_impact *impact)
{
    const raim_bullet *bullet = &context->bullets[slot];
    const uint32_t now = context->world->tick;
    uint32_t tick = bullet->born_tick + bullet->rewind == now ? bullet->born_tick : now;
    for (;; tick++) {
        const enum raim_projectile_end end = fly(context, slot, tick, impact);
        if (end != RAIM_PROJECTILE_GOES_ON || tick == now)
            return end;
    }
}
