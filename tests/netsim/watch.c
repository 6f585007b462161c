// SPDX-License-Identifier: MIT
// What must be true of a client.
#include "watch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double blame_s = 1.5;
static const double exact_units = 1e-3; // what is left of a correction that has faded
// Somebody shown moves on as fast as it runs or a bit faster, and by a share of what the picture
// was wrong by: a quarter of a second of the unforeseen, in opposite directions.
static const double catching_up = 2;
static const double most_wrong_s = 0.5;
static const double wrong_fades_s = 0.1;
// Without a snapshot for longer than the first of these nobody can know better: for a while
// somebody shown may leap to where it really is.
static const uint64_t starving_us = 250000, excused_us = 100000;
// The own player's clock leaps where it is far off. What was pressed stands, so that takes back no
// more than what is shown of the last press.
static const double leap = 1; // ticks

__attribute__((format(printf, 2, 3))) static void complain(struct watch *watch, const char *format,
                                                           ...)
{
    va_list arguments;
    if (watch->problem[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(watch->problem, sizeof watch->problem, format, arguments);
    va_end(arguments);
}

static uint32_t slot_count(const struct raim_client *client)
{
    const uint32_t slots = raim_client_max_players(client);
    return slots < WATCH_MAX_PLAYERS ? slots : WATCH_MAX_PLAYERS;
}

// --- the roster ---

void watch_init(struct watch *watch, double round_trip_s, uint32_t tick_hz)
{
    *watch = (struct watch){
        .blame_ticks = (uint32_t)((blame_s + round_trip_s) * tick_hz),
    };
}

void watch_enter(struct watch *watch, struct raim_client *client)
{
    struct raim_client_event event;
    const uint32_t slot = raim_client_own_slot(client);
    const struct raim_client_roster_entry *self = raim_client_get_roster_entry(client, slot);
    const struct watch_tally known = watch->tallies[slot];
    if (watch->id != RAIM_NOBODY && self->id != watch->id)
        complain(watch, "came back as another player");
    if (watch->id != RAIM_NOBODY && self->score < known.score + known.kills)
        complain(watch, "came back with %u points instead of %u", self->score,
                 known.score + known.kills);
    watch->id = self->id;
    watch->has_frame = false;
    while (raim_client_next_event(client, &event))
        continue; // the roster has them in it
    for (uint32_t i = 0; i < slot_count(client); i++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, i);
        watch->tallies[i] = (struct watch_tally){
            .id = member->id, .score = member->score, .deaths = member->deaths};
    }
}

void watch_leave(struct watch *watch)
{
    watch->has_frame = false;
}

// --- what is shown ---

static void check_jump(struct watch *watch, const struct raim_client *client,
                       const struct raim_client_player *now, double elapsed_s)
{
    const struct raim_client_player *before = NULL;
    for (uint32_t i = 0; i < watch->player_count; i++)
        if (watch->players[i].slot == now->slot && watch->players[i].life == now->life)
            before = &watch->players[i];
    if (before == NULL)
        return;
    const double speed = raim_client_rules(client)->player_speed;
    const double moved = sqrt(raim_vec2_distance_squared(now->position, before->position));
    const double fades = 1 - exp(-elapsed_s / wrong_fades_s);
    watch->farthest_jump = fmax(watch->farthest_jump, moved - speed * elapsed_s);
    if (!(moved <= speed * (catching_up * elapsed_s + most_wrong_s * fades)))
        complain(watch, "%s %u jumped %.2f units in %.2f ms, from (%.2f, %.2f)",
                 now->slot == raim_client_own_slot(client) ? "itself, place" : "place", now->slot,
                 moved, 1000 * elapsed_s, before->position.x, before->position.y);
}

static void remember_own(struct watch *watch, const struct raim_client *client)
{
    const double tick = floor(watch->own_tick);
    for (uint32_t i = 0; i < watch->player_count; i++)
        if (watch->players[i].slot == raim_client_own_slot(client))
            watch->frames[(uint32_t)tick % WATCH_TICKS] = (struct watch_frame){
                .tick = (uint32_t)tick,
                .part = watch->own_tick - tick,
                .position = watch->players[i].position,
                .world_tick = watch->world_tick,
            };
}

static void notice_hunger(struct watch *watch, const struct raim_client *client, uint64_t now_us)
{
    const uint64_t snapshots = raim_client_get_stats(client)->snapshots;
    if (snapshots == watch->snapshots)
        return;
    if (now_us - watch->news_us > starving_us)
        watch->excused_us = now_us + excused_us;
    watch->snapshots = snapshots;
    watch->news_us = now_us;
}

void watch_frame(struct watch *watch, struct raim_client *client, uint64_t now_us)
{
    struct raim_client_player players[WATCH_MAX_PLAYERS];
    const bool had_frame = watch->has_frame;
    notice_hunger(watch, client, now_us);
    raim_client_interpolate(client, now_us);
    watch->has_frame = raim_client_can_draw(client);
    if (!watch->has_frame)
        return;
    const uint32_t count = raim_client_interpolated_players(client, players, WATCH_MAX_PLAYERS);
    const double own_tick = raim_client_own_tick(client);
    const double scene_tick = raim_client_interpolated_tick(client);
    const double elapsed_s = (double)(now_us - watch->frame_us) / 1e6;
    if (had_frame && (scene_tick < watch->scene_tick || own_tick < watch->own_tick - leap))
        complain(watch, "time ran backwards: %.3f to %.3f, and for its own player %.3f to %.3f",
                 watch->scene_tick, scene_tick, watch->own_tick, own_tick);
    // A second look at the same time comes after a press: the own player is a tick farther.
    for (uint32_t i = 0; i < count && had_frame && elapsed_s > 0 && now_us >= watch->excused_us;
         i++) {
        const bool is_own = players[i].slot == raim_client_own_slot(client);
        const double played_s = (own_tick - watch->own_tick) / raim_client_tick_hz(client);
        check_jump(watch, client, &players[i], is_own ? fmax(elapsed_s, played_s) : elapsed_s);
    }
    watch->frame_us = now_us;
    watch->scene_tick = scene_tick;
    watch->own_tick = own_tick;
    watch->player_count = count;
    memcpy(watch->players, players, count * sizeof *players);
    remember_own(watch, client);
}

// --- events ---

static void take_events(struct watch *watch, struct raim_client *client)
{
    struct raim_client_event event;
    while (raim_client_next_event(client, &event)) {
        struct watch_tally *of =
            &watch->tallies[raim_player_slot(event.player) % WATCH_MAX_PLAYERS];
        struct watch_tally *victim =
            &watch->tallies[raim_player_slot(event.victim) % WATCH_MAX_PLAYERS];
        if (event.kind == RAIM_CLIENT_JOINED)
            *of = (struct watch_tally){.id = event.player};
        else if (event.kind == RAIM_CLIENT_LEFT && of->id == event.player)
            *of = (struct watch_tally){0};
        of->kills += event.kind == RAIM_CLIENT_KILL;
        victim->falls += event.kind == RAIM_CLIENT_KILL;
    }
}

void watch_receive(struct watch *watch, struct raim_client *client)
{
    const struct raim_client_stats *stats = raim_client_get_stats(client);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    const int32_t ago = raim_tick_diff(watch->world_tick, watch->disturbed_tick);
    if (stats->decode_errors > 0)
        complain(watch, "could not read what the server said");
    if (quality.mispredictions > watch->mispredictions && ago > (int32_t)watch->blame_ticks)
        complain(watch, "corrected itself by %g units, though nothing befell it for %d ticks",
                 quality.correction_units, ago);
    watch->mispredictions = quality.mispredictions;
    take_events(watch, client);
    for (uint32_t slot = 0; slot < slot_count(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        const struct watch_tally *tally = &watch->tallies[slot];
        if (member->id != tally->id || member->score != tally->score + tally->kills ||
            member->deaths != tally->deaths + tally->falls)
            complain(watch, "gives place %u %u points and %u deaths, but was told of %u and %u",
                     slot, member->score, member->deaths, tally->score + tally->kills,
                     tally->deaths + tally->falls);
    }
}

bool watch_agrees(const struct watch *watch, const struct raim_client *client,
                  const struct raim_world *world)
{
    const raim_player *players = raim_world_players_const(world);
    if (watch->id == RAIM_NOBODY || raim_client_get_state(client) != RAIM_CLIENT_PLAYING)
        return false;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        if (member->id != players[slot].id || member->score != players[slot].score ||
            member->deaths != players[slot].deaths)
            return false;
    }
    return true;
}

// --- the server's state ---

// Whether something else than its own input may have moved a player in the last step.
static bool is_disturbed(const struct watch *watch, const struct raim_world *world,
                         const raim_player *self)
{
    const raim_player *players = raim_world_players_const(world);
    if (self->state != RAIM_PLAYER_ALIVE || self->life != watch->life)
        return true;
    const double run = world->rules.player_speed / world->tick_hz + RAIM_MAP_GRID;
    const double near = 2 * (world->rules.player_radius + run);
    for (uint32_t slot = 0; slot < world->max_players; slot++)
        if (&players[slot] != self && players[slot].state == RAIM_PLAYER_ALIVE &&
            raim_vec2_distance_squared(players[slot].position, self->position) < near * near)
            return true;
    return false;
}

// Where nothing has disturbed it, what was shown before the server played the last tick is where it
// was in it.
static void check_frame(struct watch *watch, const struct watch_frame *frame)
{
    const int32_t calm = raim_tick_diff(frame->world_tick, watch->disturbed_tick);
    if (frame->tick + 1 != watch->world_tick || calm <= (int32_t)watch->blame_ticks)
        return;
    const raim_vec2 from = watch->positions[frame->tick % WATCH_TICKS];
    const raim_vec2 way = raim_vec2_sub(watch->positions[watch->world_tick % WATCH_TICKS], from);
    const raim_vec2 off = raim_vec2_sub(frame->position, raim_vec2_mad(from, way, frame->part));
    watch->exact++;
    if (!(raim_vec2_length(off) <= exact_units))
        complain(watch, "was shown (%.3f, %.3f) off at tick %.3f, though nothing befell it", off.x,
                 off.y, frame->tick + frame->part);
}

void watch_step(struct watch *watch, const struct raim_world *world, bool has_input)
{
    const raim_player *self = &raim_world_players_const(world)[raim_player_slot(watch->id)];
    watch->world_tick = world->tick;
    if (watch->id == RAIM_NOBODY || !has_input || is_disturbed(watch, world, self))
        watch->disturbed_tick = world->tick;
    watch->life = self->life;
    watch->positions[world->tick % WATCH_TICKS] = self->position;
    check_frame(watch, &watch->frames[(world->tick - 1) % WATCH_TICKS]);
}
