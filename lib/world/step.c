// SPDX-License-Identifier: MIT
// One tick of the game: move, push apart, fire, fly, hit, kill and score, spawn.
#include "player.h"
#include "player_push.h"
#include "position_history.h"
#include "projectile.h"
#include "spawn.h"
#include "sweep.h"
#include "world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

// The least side of a cell of the players' grid, in ranges of a bullet: with it, a player marks few
// cells.
static const double least_cell = 0.8;

// The tolerance for rounding, in units: the way of a bullet in a tick is at most this much longer
// than its speed says.
static const double leg_margin = 1e-3;

enum { NO_BULLET = UINT16_MAX };

// The bullets that hit a player in this step, a list from the last to the first.
struct hit_queue {
    uint32_t last; // NO_BULLET: none
    uint32_t count;
};

struct pending_hit {
    double time;
    uint32_t next; // in its queue
};

// A step in the making. Its lists have room for the largest arena, some 190 KB, which is too much
// for a stack.
struct raim_world_workspace {
    struct raim_world *world;
    const struct raim_map *map;
    const raim_input *inputs;
    struct raim_events *events;
    raim_player *players;
    raim_bullet *bullets;
    uint32_t present_count;
    uint16_t present[RAIM_MAX_PLAYERS]; // the slots that have a player, ascending
    struct raim_tick_context context;
    struct raim_player_push push;
    struct raim_projectile_context projectiles;
    struct raim_spawner spawner;
    struct raim_last_hit hits[RAIM_MAX_PLAYERS]; // by slot
    struct hit_queue queues[RAIM_MAX_PLAYERS];   // by slot
    struct pending_hit pending[RAIM_MAX_BULLETS];
    uint16_t flying[RAIM_MAX_BULLETS]; // slots of the bullets in flight, ascending
    struct raim_projectile_sort sort;
};

struct raim_world_workspace *raim_world_workspace_create(void)
{
    return malloc(sizeof(struct raim_world_workspace));
}

void raim_world_workspace_destroy(struct raim_world_workspace *workspace)
{
    free(workspace);
}

static void emit(struct raim_world_workspace *step, raim_event event)
{
    struct raim_events *events = step->events;
    if (events->count == events->capacity) {
        events->dropped++;
        return;
    }
    events->items[events->count++] = event;
}

// Lists the players. The rest of the step visits no free slot.
static void list_players(struct raim_world_workspace *step)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < step->world->max_players; slot++) {
        step->present[count] = (uint16_t)slot;
        count += step->players[slot].state != RAIM_PLAYER_ABSENT;
    }
    step->present_count = count;
}

static void move_players(struct raim_world_workspace *step)
{
    for (uint32_t i = 0; i < step->present_count; i++) {
        const uint32_t slot = step->present[i];
        raim_player_move(&step->players[slot], &step->inputs[slot], &step->context);
    }
}

// Returns the slots of a player's next shot; NULL where one of them is taken, which is only
// possible when RAIM_MAX_BULLETS limits the slots. Shots use the slots in turn: a bullet has ended
// before its slot is used again.
static raim_bullet *next_slots(const struct raim_world_workspace *step, uint32_t slot)
{
    const uint32_t each = step->world->bullets_per_player;
    const uint32_t pellets = (uint32_t)step->world->rules.pellets;
    const uint32_t shot = step->players[slot].shots / pellets % (each / pellets);
    raim_bullet *bullets = &step->bullets[slot * each + shot * pellets];
    for (uint32_t i = 0; i < pellets; i++)
        if (bullets[i].owner != RAIM_NOBODY)
            return NULL;
    return bullets;
}

// Fires. Returns the longest rewind of the new bullets, in ticks.
static uint32_t fire(struct raim_world_workspace *step)
{
    uint32_t rewind = 0;
    for (uint32_t i = 0; i < step->present_count; i++) {
        const uint32_t slot = step->present[i];
        if (!step->inputs[slot].fire)
            continue;
        raim_player *player = &step->players[slot];
        raim_bullet *bullets = next_slots(step, slot);
        if (bullets == NULL ||
            !raim_player_fire(player, &step->inputs[slot], &step->context, bullets))
            continue;
        assert(bullets->rewind <= step->world->max_rewind);
        rewind = bullets->rewind > rewind ? bullets->rewind : rewind;
        emit(step, (raim_event){.kind = RAIM_EVENT_FIRE, .actor = player->id});
    }
    return rewind;
}

static double longest_movement(const struct raim_world_workspace *step)
{
    double longest = 0;
    for (uint32_t i = 0; i < step->present_count; i++) {
        const raim_player *player = &step->players[step->present[i]];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        const double along_x = fabs(player->position.x - player->previous.x);
        const double along_y = fabs(player->position.y - player->previous.y);
        longest = along_x > longest ? along_x : longest;
        longest = along_y > longest ? along_y : longest;
    }
    return longest;
}

// Enters the living players into the grid for the bullets.
static void locate_players(struct raim_world_workspace *step)
{
    struct raim_projectile_context *projectiles = &step->projectiles;
    projectiles->reach = longest_movement(step);
    const double range = raim_projectile_range(projectiles);
    raim_player_grid_clear(&projectiles->players, step->map->border, step->present_count,
                           least_cell * range);
    for (uint32_t i = 0; i < step->present_count; i++) {
        const uint32_t slot = step->present[i];
        const raim_player *player = &step->players[slot];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        raim_player_grid_add(&projectiles->players, slot, player->position);
        raim_player_grid_mark(&projectiles->players, player->position, range);
    }
}

static void end_bullet(struct raim_world_workspace *step, uint32_t slot)
{
    step->bullets[slot] = (raim_bullet){0};
}

static void emit_hit(struct raim_world_workspace *step, enum raim_event_kind kind,
                     const raim_bullet *bullet, const raim_player *victim, double time)
{
    emit(step, (raim_event){
                   .kind = kind,
                   .actor = bullet->owner,
                   .victim = victim->id,
                   .view_tick = raim_bullet_launch_tick(bullet),
                   .rewind = bullet->rewind,
                   .in_past = time < 0,
               });
}

// How many hits destroy a player.
static uint32_t hits_to_destroy(const struct raim_world *world, const raim_player *player)
{
    const uint32_t damage = (uint32_t)world->rules.damage;
    return (player->health + damage - 1) / damage;
}

// Enters a hit of an unshielded player. Returns the bullet that no longer hits it, because those
// before it destroy the player; NO_BULLET: none.
static uint32_t enter_hit(struct raim_world_workspace *step, uint32_t bullet,
                          const struct raim_projectile_impact *impact)
{
    struct hit_queue *queue = &step->queues[impact->slot];
    struct pending_hit *pending = step->pending;
    uint32_t *at = &queue->last;
    while (*at != NO_BULLET && (pending[*at].time > impact->time ||
                                (pending[*at].time == impact->time && *at > bullet)))
        at = &pending[*at].next;
    pending[bullet] = (struct pending_hit){impact->time, *at};
    *at = bullet;
    const uint32_t most = hits_to_destroy(step->world, &step->players[impact->slot]);
    uint32_t late = NO_BULLET;
    if (++queue->count > most) {
        late = queue->last;
        queue->last = pending[late].next;
        queue->count--;
    }
    if (queue->count == most)
        step->hits[impact->slot] = (struct raim_last_hit){pending[queue->last].time, queue->last};
    return late;
}

// Flies one bullet. Bullets are matched to victims by deferred acceptance (Gale and Shapley,
// College Admissions and the Stability of Marriage, 1962): the bullets that reach a player first
// hit it until it is destroyed, and a later one flies on to its next target. The result does not
// depend on the order of bullets.
static void fly(struct raim_world_workspace *step, uint32_t slot)
{
    while (slot != NO_BULLET) {
        struct raim_projectile_impact impact;
        const enum raim_projectile_end end =
            raim_projectile_find(&step->projectiles, slot, &impact);
        if (end == RAIM_PROJECTILE_GOES_ON)
            return;
        if (end == RAIM_PROJECTILE_STOPS) {
            end_bullet(step, slot);
            return;
        }
        if (impact.shielded) {
            const raim_bullet *bullet = &step->bullets[slot];
            step->players[raim_player_slot(bullet->owner)].hits++;
            emit_hit(step, RAIM_EVENT_HIT, bullet, &step->players[impact.slot], impact.time);
            end_bullet(step, slot);
            return;
        }
        slot = enter_hit(step, slot, &impact);
    }
}

static void destroy_player(struct raim_world_workspace *step, raim_player *victim,
                           raim_player *shooter)
{
    const struct raim_world *world = step->world;
    const uint32_t slot = raim_player_slot(victim->id);
    shooter->score++;
    victim->deaths++;
    raim_player_grid_remove(&step->projectiles.players, slot, victim->position);
    victim->state = RAIM_PLAYER_DOWN;
    victim->respawn_ticks = raim_ticks_of(world->rules.respawn_delay, world->tick_hz);
}

// Applies the hits of a player, the first one first.
static void settle_player(struct raim_world_workspace *step, raim_player *victim)
{
    struct pending_hit *pending = step->pending;
    const uint32_t damage = (uint32_t)step->world->rules.damage;
    uint32_t first = NO_BULLET;
    for (uint32_t next = step->queues[raim_player_slot(victim->id)].last; next != NO_BULLET;) {
        const uint32_t bullet = next;
        next = pending[bullet].next;
        pending[bullet].next = first;
        first = bullet;
    }
    for (uint32_t slot = first; slot != NO_BULLET; slot = pending[slot].next) {
        const raim_bullet *bullet = &step->bullets[slot];
        raim_player *shooter = &step->players[raim_player_slot(bullet->owner)];
        shooter->hits++;
        victim->health = (uint8_t)(victim->health > damage ? victim->health - damage : 0);
        emit_hit(step, RAIM_EVENT_HIT, bullet, victim, pending[slot].time);
        if (victim->health == 0) {
            destroy_player(step, victim, shooter);
            emit_hit(step, RAIM_EVENT_KILL, bullet, victim, pending[slot].time);
        }
        end_bullet(step, slot);
    }
}

static void settle_hits(struct raim_world_workspace *step)
{
    for (uint32_t i = 0; i < step->present_count; i++)
        if (step->queues[step->present[i]].last != NO_BULLET)
            settle_player(step, &step->players[step->present[i]]);
}

// Lists the bullets in flight. Returns their number.
static uint32_t list_bullets(struct raim_world_workspace *step)
{
    const uint32_t each = step->world->bullets_per_player;
    uint32_t count = 0;
    for (uint32_t i = 0; i < step->present_count; i++) {
        const uint32_t first = step->present[i] * each;
        for (uint32_t slot = first; slot < first + each; slot++) {
            step->flying[count] = (uint16_t)slot;
            count += step->bullets[slot].owner != RAIM_NOBODY;
        }
    }
    return count;
}

static void fly_bullets(struct raim_world_workspace *step)
{
    step->projectiles.hits = step->hits;
    for (uint32_t i = 0; i < step->present_count; i++) {
        step->hits[step->present[i]] = (struct raim_last_hit){RAIM_SWEEP_MISS, NO_BULLET};
        step->queues[step->present[i]] = (struct hit_queue){.last = NO_BULLET};
    }
    struct raim_projectile_sort *sort = &step->sort;
    raim_projectile_sort(&step->projectiles, step->flying, list_bullets(step), sort);
    for (uint32_t i = 0; i < sort->stopping_count; i++)
        if (raim_projectile_stops(&step->projectiles, sort->stopping[i]))
            end_bullet(step, sort->stopping[i]);
    for (uint32_t i = 0; i < sort->meeting_count; i++)
        fly(step, sort->meeting[i]);
    settle_hits(step);
}

static void spawn_players(struct raim_world_workspace *step)
{
    const struct raim_world *world = step->world;
    raim_spawner_init(&step->spawner, step->world, step->map, &step->projectiles.players);
    for (uint32_t i = 0; i < step->present_count; i++) {
        const uint32_t slot = step->present[i];
        raim_player *player = &step->players[slot];
        if (player->state != RAIM_PLAYER_DOWN)
            continue;
        if (player->respawn_ticks > 0) {
            player->respawn_ticks--;
            continue;
        }
        if (player->away || !raim_spawn_find(&step->spawner, &player->position))
            continue;
        raim_spawner_add(&step->spawner, slot, player->position);
        player->previous = player->position;
        player->state = RAIM_PLAYER_ALIVE;
        player->health = (uint8_t)world->rules.health;
        player->shield_ticks = raim_ticks_of(world->rules.spawn_protection, world->tick_hz);
        player->life++;
        emit(step, (raim_event){.kind = RAIM_EVENT_SPAWN, .actor = player->id});
    }
}

// Gives all the living a point of health, in every so many ticks.
static void regenerate(struct raim_world_workspace *step)
{
    const struct raim_world *world = step->world;
    const uint32_t every = raim_ticks_of(world->rules.regeneration, world->tick_hz);
    if (every == 0 || world->tick % every != 0)
        return;
    for (uint32_t i = 0; i < step->present_count; i++) {
        raim_player *player = &step->players[step->present[i]];
        if (player->state == RAIM_PLAYER_ALIVE && player->health < world->rules.health)
            player->health++;
    }
}

// Plays a tick with at least one player.
static void play(struct raim_world_workspace *step)
{
    regenerate(step);
    move_players(step);
    raim_player_push_apart(&step->push, step->players, step->present, step->present_count,
                           step->map, step->world->rules.player_radius);
    const uint32_t rewind = fire(step);
    locate_players(step);
    step->projectiles.rewind_reach =
        raim_position_history_reach(step->world, rewind, step->present, step->present_count);
    fly_bullets(step);
    raim_position_history_record(step->world);
    spawn_players(step);
}

void raim_world_step(struct raim_world *world, const struct raim_map *map, const raim_input *inputs,
                     struct raim_events *events, struct raim_world_workspace *step)
{
    static_assert(RAIM_MAX_BULLETS < NO_BULLET, "NO_BULLET is not a slot");
    step->world = world;
    step->map = map;
    step->inputs = inputs;
    step->events = events;
    step->players = raim_world_players(world);
    step->bullets = raim_world_bullets(world);
    step->context = (struct raim_tick_context){map, &world->rules,
                                               raim_world_stride(&world->rules, world->tick_hz),
                                               world->tick_hz, world->tick};
    step->projectiles.world = world;
    step->projectiles.bullets = step->bullets;
    step->projectiles.map = map;
    step->projectiles.lifetime = raim_ticks_of(world->rules.bullet_lifetime, world->tick_hz);
    step->projectiles.leg = world->rules.bullet_speed / world->tick_hz + leg_margin;
    events->count = 0;
    events->dropped = 0;
    list_players(step);
    if (step->present_count > 0)
        play(step);
    else
        raim_position_history_record(world);
    world->tick++;
}

void raim_world_skip_tick(struct raim_world *world)
{
    world->tick++;
}
