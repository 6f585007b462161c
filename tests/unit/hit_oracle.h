// SPDX-License-Identifier: MIT
// Reference implementation of hits by brute force: it keeps all past states, sweeps each bullet
// along its whole path, and applies contacts in the order of their times.
#pragma once

#include "arena_fixture.h"
#include "player.h"
#include "test.h"

#include <math.h>

enum { ORACLE_PLAYERS = 8, ORACLE_BULLETS = ORACLE_PLAYERS * 64, ORACLE_TICKS = 200 };

struct was {
    raim_vec2 from, to;
    bool alive, shielded;
    uint8_t life;
};

struct contact {
    double time;
    uint32_t bullet, victim;
    bool shielded;
};

struct oracle {
    struct was was[ORACLE_TICKS][ORACLE_PLAYERS];
    raim_bullet bullets[ORACLE_BULLETS]; // in flight when the step's hits are found
    bool spent[ORACLE_BULLETS];
    struct contact contacts[ORACLE_BULLETS * ORACLE_PLAYERS];
    int count;
    bool unsure; // too close a call to compare
    uint64_t hits, past_hits, kills, passed, sure, unsures;
};

static inline bool has_fired(const struct arena_fixture *f, raim_player_id id)
{
    for (uint32_t i = 0; i < f->events.count; i++)
        if (f->events.items[i].kind == RAIM_EVENT_FIRE && f->events.items[i].actor == id)
            return true;
    return false;
}

// Records the tick that has been played; `before` is the world before it.
static inline void remember(struct oracle *oracle, const struct arena_fixture *f,
                            const struct raim_world *before)
{
    const raim_player *old = raim_world_players_const(before);
    const raim_player *new = raim_world_players_const(f->world);
    memcpy(oracle->bullets, raim_world_bullets_const(before),
           before->max_bullets * sizeof(raim_bullet));
    memset(oracle->spent, 0, sizeof oracle->spent);
    for (uint32_t slot = 0; slot < ORACLE_PLAYERS; slot++) {
        const bool fired = has_fired(f, old[slot].id);
        oracle->was[before->tick][slot] = (struct was){
            .from = old[slot].position,
            .to = new[slot].position,
            .alive = old[slot].state == RAIM_PLAYER_ALIVE,
            .shielded = old[slot].shield_ticks > 1 && !fired,
            .life = old[slot].life,
        };
        for (uint32_t i = 0; fired && i < before->rules.pellets; i++)
            oracle->bullets[slot * before->bullets_per_player +
                            old[slot].shots % before->bullets_per_player + i] = (raim_bullet){
                .origin = new[slot].position,
                .direction =
                    raim_angle_direction(raim_pellet_aim(&before->rules, f->inputs[slot].aim, i)),
                .born_tick = before->tick - f->inputs[slot].rewind,
                .owner = old[slot].id,
                .rewind = f->inputs[slot].rewind,
            };
    }
}

static inline bool same_life(const struct was *then, const struct was *now)
{
    return then->alive && now->alive && then->life == now->life;
}

// The fraction t at which the point from + way * t first comes within the radius of the origin;
// above 1: never.
static inline double meeting(raim_vec2 from, raim_vec2 way, double radius, bool *unsure)
{
    const double a = raim_vec2_dot(way, way), b = raim_vec2_dot(from, way);
    const double c = raim_vec2_dot(from, from) - radius * radius;
    if (fabs(c) < 1e-6)
        *unsure = true;
    if (c <= 0)
        return 0;
    const double nearest = a > 0 ? fmin(fmax(-b / a, 0), 1) : 0;
    const raim_vec2 there = raim_vec2_mad(from, way, nearest);
    const double gap = sqrt(raim_vec2_dot(there, there)) - radius;
    if (fabs(gap) < 1e-6)
        *unsure = true;
    return gap > 0 ? 2 : (-b - sqrt(b * b - a * c)) / a;
}

static inline double flown_by(const struct raim_world *world, double ticks)
{
    return world->rules.player_radius + world->rules.bullet_speed / world->tick_hz * ticks;
}

// A bullet's position some ticks after its launch; it starts in the centre of its shooter.
static inline raim_vec2 bullet_at(const struct raim_world *world, const raim_bullet *bullet,
                                  int age)
{
    const double flown = age == 0 ? 0 : flown_by(world, age);
    return raim_vec2_mad(bullet->origin, bullet->direction, flown);
}

// The age in ticks at which it meets a wall, from one sweep of its whole path.
static inline double wall_of(const struct arena_fixture *f, const struct raim_world *world,
                             const raim_bullet *bullet)
{
    const double range = flown_by(world, 1000);
    const double wall =
        raim_map_sweep(f->map, bullet->origin, raim_vec2_scale(bullet->direction, range),
                       world->rules.bullet_radius);
    const double flown = fmin(wall, 1) * range;
    const double first = flown_by(world, 1);
    return flown < first ? flown / first : 1 + (flown - first) / (first - flown_by(world, 0));
}

static inline void fly_bullet(struct oracle *oracle, const struct arena_fixture *f,
                              const struct raim_world *before, uint32_t slot)
{
    const raim_bullet *bullet = &oracle->bullets[slot];
    const uint32_t now = before->tick, owner = raim_player_slot(bullet->owner);
    const double radius = before->rules.player_radius + before->rules.bullet_radius;
    const int lifetime = raim_ticks_of(before->rules.bullet_lifetime, before->tick_hz);
    const double wall = wall_of(f, before, bullet);
    const int from = (int)(now - bullet->born_tick) - // its age when this step begins to fly it
                     (bullet->born_tick + bullet->rewind == now ? bullet->rewind : 0);
    const int last = (int)(now - bullet->born_tick), end = last < lifetime ? last + 1 : lifetime;
    if (fabs(wall - end) < 1e-9)
        oracle->unsure = true;
    oracle->spent[slot] = wall <= last + 1 || last + 1 >= lifetime;
    for (uint32_t victim = 0; victim < ORACLE_PLAYERS; victim++) {
        for (int age = from; age < end && victim != owner; age++) {
            const uint32_t tick = bullet->born_tick + (uint32_t)age;
            if ((int32_t)tick < 0 ||
                !same_life(&oracle->was[tick][victim], &oracle->was[now][victim]))
                continue;
            const struct was *was = &oracle->was[tick][victim];
            const raim_vec2 start = bullet_at(before, bullet, age);
            const raim_vec2 way = raim_vec2_sub(bullet_at(before, bullet, age + 1), start);
            const double part = meeting(raim_vec2_sub(start, was->from),
                                        raim_vec2_sub(way, raim_vec2_sub(was->to, was->from)),
                                        radius, &oracle->unsure);
            if (part > 1)
                continue;
            if (fabs(age + part - wall) < 1e-9)
                oracle->unsure = true;
            if (age + part <= wall)
                oracle->contacts[oracle->count++] =
                    (struct contact){age - last + part, slot, victim, was->shielded};
            break;
        }
    }
}

static inline int by_time(const void *a, const void *b)
{
    const struct contact *one = a, *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->bullet < other->bullet ? -1 : 1;
}

// True when the step produced such an event.
static inline bool has_event(const struct arena_fixture *f, enum raim_event_kind kind,
                             const struct raim_world *before, const raim_bullet *bullet,
                             const struct contact *contact)
{
    const raim_player_id victim = raim_world_players_const(before)[contact->victim].id;
    for (uint32_t i = 0; i < f->events.count; i++) {
        const raim_event *event = &f->events.items[i];
        if (event->kind == kind && event->actor == bullet->owner && event->victim == victim &&
            event->view_tick == bullet->born_tick && event->rewind == bullet->rewind &&
            event->in_past == (contact->time < 0))
            return true;
    }
    return false;
}

// Compares a step's hits with the reference; `before` is the world before it. Contacts too close to
// call are only counted.
static inline void oracle_check(struct oracle *oracle, const struct arena_fixture *f,
                                const struct raim_world *before)
{
    oracle->count = 0;
    oracle->unsure = false;
    remember(oracle, f, before);
    for (uint32_t slot = 0; slot < before->max_bullets; slot++)
        if (oracle->bullets[slot].owner != RAIM_NOBODY)
            fly_bullet(oracle, f, before, slot);
    qsort(oracle->contacts, (size_t)oracle->count, sizeof oracle->contacts[0], by_time);
    for (int i = 1; i < oracle->count; i++) {
        const struct contact *former = &oracle->contacts[i - 1], *latter = &oracle->contacts[i];
        // Bullets that start within a player's reach hit it at once, in the order of their slots.
        const bool is_tie = latter->time == former->time && latter->victim == former->victim;
        if (latter->time - former->time < 1e-9 && !is_tie)
            oracle->unsure = true;
    }
    if (oracle->unsure) {
        oracle->unsures++;
        return;
    }
    bool hit[ORACLE_BULLETS] = {false}, fallen[ORACLE_PLAYERS] = {false};
    uint32_t hits = 0, kills = 0;
    double health[ORACLE_PLAYERS];
    for (uint32_t slot = 0; slot < ORACLE_PLAYERS; slot++)
        health[slot] = raim_world_players_const(before)[slot].health;
    for (int i = 0; i < oracle->count; i++) {
        const struct contact *contact = &oracle->contacts[i];
        const raim_bullet *bullet = &oracle->bullets[contact->bullet];
        oracle->passed += !hit[contact->bullet] && fallen[contact->victim];
        if (hit[contact->bullet] || fallen[contact->victim])
            continue;
        hit[contact->bullet] = oracle->spent[contact->bullet] = true;
        hits++;
        assert_true(has_event(f, RAIM_EVENT_HIT, before, bullet, contact));
        oracle->past_hits += contact->time < 0;
        if (contact->shielded)
            continue;
        health[contact->victim] -= before->rules.damage;
        if (health[contact->victim] > 0)
            continue;
        fallen[contact->victim] = true;
        kills++;
        assert_true(has_event(f, RAIM_EVENT_KILL, before, bullet, contact));
    }
    assert_int_equal(fixture_count(f, RAIM_EVENT_HIT), hits);
    assert_int_equal(fixture_count(f, RAIM_EVENT_KILL), kills);
    for (uint32_t slot = 0; slot < ORACLE_PLAYERS; slot++)
        if (raim_world_players_const(f->world)[slot].state == RAIM_PLAYER_ALIVE &&
            raim_world_players_const(f->world)[slot].life ==
                raim_world_players_const(before)[slot].life)
            assert_true(raim_world_players_const(f->world)[slot].health == health[slot]);
    const raim_bullet *bullets = raim_world_bullets_const(f->world);
    for (uint32_t slot = 0; slot < before->max_bullets; slot++)
        assert_int_equal(bullets[slot].owner,
                         oracle->spent[slot] ? RAIM_NOBODY : oracle->bullets[slot].owner);
    oracle->hits += hits;
    oracle->kills += kills;
    oracle->sure++;
}
