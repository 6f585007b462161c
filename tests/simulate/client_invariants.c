// SPDX-License-Identifier: MIT
// What must be true of the clients: what they are told is true, allowed and complete.
#include "state.h"

#include "client_internal.h"
#include "digest.h"
#include "match_internal.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    JUDGED_SHARE = 8,   // one of so many snapshots is judged
    MAX_RUN = 16,       // ticks: the longest latency of interest management, and a tick of rounding
    IN_SIGHT_TICKS = 4, // some reveals are a tick late, see ./dev bench fairness
    MAX_HOLD = 2,       // ticks for which an answer holds without another query
    CONVERGE_STEPS = TICK_HZ,
    RETURN_STEPS = 14 * TICK_HZ, // into the quiet time, everybody is back
};
static const double bullet_tolerance = 0.1; // without its origin a bullet is rounded to the grid

struct picture {
    struct simulation *simulation;
    const struct peer *peer;
    const struct raim_wire_limits *limits;
    const struct raim_wire_frame *frame;
    const struct raim_world *world; // of the frame's tick
    const raim_player *viewer;
};

// --- a snapshot ---

static const raim_player *player_at(const struct picture *picture, uint32_t slot)
{
    return &raim_world_players_const(picture->world)[slot];
}

static void check_told_players_are_true(const struct picture *picture)
{
    const struct raim_wire_frame *frame = picture->frame;
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, picture->limits->players);
         slot < picture->limits->players;
         slot = raim_set_next(frame->seen_players, slot + 1, picture->limits->players)) {
        const raim_player *player = player_at(picture, slot);
        const raim_wire_player *told = &frame->players[slot];
        picture->simulation->verdict->entities++;
        if (player->state != RAIM_PLAYER_ALIVE ||
            told->x != (int32_t)lround(player->position.x * RAIM_WIRE_UNITS) ||
            told->y != (int32_t)lround(player->position.y * RAIM_WIRE_UNITS) ||
            told->shield != (player->shield_ticks > 0) ||
            told->health != (picture->limits->has_health ? player->health : 0))
            fail(picture->simulation, "snapshots_are_true",
                 "peer %u, tick %u: slot %u at (%.3f, %.3f), but it is at (%.3f, %.3f), state %u",
                 picture->peer->index, frame->tick, slot, told->x / (double)RAIM_WIRE_UNITS,
                 told->y / (double)RAIM_WIRE_UNITS, player->position.x, player->position.y,
                 player->state);
    }
}

static void check_told_bullets_are_true(const struct picture *picture)
{
    const struct raim_wire_frame *frame = picture->frame;
    const struct raim_world *world = picture->world;
    for (uint32_t slot = raim_set_next(frame->seen_bullets, 0, world->max_bullets);
         slot < world->max_bullets;
         slot = raim_set_next(frame->seen_bullets, slot + 1, world->max_bullets)) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
        const raim_bullet told = {
            .origin = {frame->bullets[slot].x / (double)RAIM_WIRE_UNITS,
                       frame->bullets[slot].y / (double)RAIM_WIRE_UNITS},
            .direction = raim_angle_direction(frame->bullets[slot].aim),
            .born_tick = frame->bullets[slot].tick,
        };
        const raim_vec2 is = raim_bullet_position(&world->rules, bullet, world->tick, TICK_HZ);
        const raim_vec2 was_reported =
            raim_bullet_position(&world->rules, &told, world->tick, TICK_HZ);
        if (bullet->owner == RAIM_NOBODY ||
            raim_vec2_distance_squared(is, was_reported) > bullet_tolerance * bullet_tolerance)
            fail(picture->simulation, "snapshots_are_true",
                 "peer %u, tick %u: bullet %u at (%.3f, %.3f), but it is at (%.3f, %.3f) of %u",
                 picture->peer->index, frame->tick, slot, was_reported.x, was_reported.y, is.x,
                 is.y, bullet->owner);
    }
}

// A player or a bullet of which a client is told.
struct target {
    raim_vec2 position;
    double radius;
    const raim_player *player; // NULL: a bullet
    const raim_bullet *bullet;
};

// Where a player comes to within some ticks.
static void run(const struct picture *picture, const raim_player *player, int ticks,
                struct judge_positions *positions)
{
    if (player->state == RAIM_PLAYER_ALIVE && ticks > 0)
        judge_run(&picture->simulation->judge, player->position, ticks, positions);
    else
        judge_stand(player->position, positions);
}

static bool has_witness(const struct picture *picture, const raim_player *viewer, int viewer_runs,
                        const struct target *target, int target_runs, double radius)
{
    struct simulation *simulation = picture->simulation;
    struct judge_witness witness;
    run(picture, viewer, viewer_runs, &simulation->viewer_positions);
    if (target->player != NULL)
        run(picture, target->player, target_runs, &simulation->target_positions);
    else
        judge_fly(&simulation->judge, picture->world, target->bullet, target_runs,
                  &simulation->target_positions);
    return judge_find_witness(&simulation->judge, &simulation->viewer_positions,
                              &simulation->target_positions, radius, &witness);
}

// The player that had the slot some ticks ago; NULL where it was another, or another life of it.
static const raim_player *player_before(const struct picture *picture, const raim_player *player,
                                        int ago)
{
    const uint32_t tick = picture->world->tick - (uint32_t)ago;
    const struct raim_world *world = picture->simulation->worlds[tick % KEPT_WORLDS];
    if (!picture->simulation->has_world[tick % KEPT_WORLDS] || world->tick != tick)
        return NULL;
    const raim_player *before = &raim_world_players_const(world)[raim_player_slot(player->id)];
    return before->id == player->id && before->life == player->life &&
                   before->state == player->state
               ? before
               : NULL;
}

// Both may run back to where they were some ticks ago, and then go on.
static bool could_be_seen_from(const struct picture *picture, const struct target *target, int ago,
                               double radius)
{
    const raim_player *viewer = player_before(picture, picture->viewer, ago);
    struct target then = *target;
    if (viewer == NULL)
        return false;
    if (target->player != NULL &&
        (then.player = player_before(picture, target->player, ago)) == NULL)
        return false;
    const int longest = then.player != NULL ? MAX_RUN - ago : MAX_RUN;
    const int shortest = then.player != NULL ? 0 : MAX_RUN;
    for (int viewer_runs = MAX_RUN - ago; viewer_runs >= 0; viewer_runs--)
        for (int target_runs = shortest; target_runs <= longest; target_runs++)
            if (has_witness(picture, viewer, viewer_runs, &then, target_runs, radius))
                return true;
    return false;
}

// Tries whether anything puts a target on the screen soon, run by run. A run turns after a quarter,
// a half or three quarters of its length, so shorter runs are others.
static bool could_be_seen(const struct picture *picture, const struct target *target)
{
    if (judge_is_on_screen(&picture->simulation->judge, picture->viewer->position, target->position,
                           target->radius) ||
        has_witness(picture, picture->viewer, MAX_RUN, target, MAX_RUN, target->radius))
        return true;
    // Interest management runs as fast as the rules say. A player takes whole steps of the grid, so
    // it is off by half a step a tick at most, the viewer and the target.
    const double radius = target->radius + (2 + MAX_RUN) * RAIM_MAP_GRID;
    for (int ago = 0; ago <= (target->player != NULL ? MAX_RUN - 1 : MAX_HOLD); ago++)
        if (could_be_seen_from(picture, target, ago, radius))
            return true;
    return false;
}

static void check_target(const struct picture *picture, const char *what, uint32_t slot,
                         const struct target *target)
{
    if (!could_be_seen(picture, target))
        fail(picture->simulation, "nothing_hidden_is_told",
             "peer %u, tick %u, at (%.3f, %.3f): %s %u at (%.3f, %.3f)", picture->peer->index,
             picture->frame->tick, picture->viewer->position.x, picture->viewer->position.y, what,
             slot, target->position.x, target->position.y);
}

static void check_nothing_hidden_is_told(const struct picture *picture)
{
    const struct raim_wire_frame *frame = picture->frame;
    const struct raim_world *world = picture->world;
    picture->simulation->verdict->judged++;
    for (uint32_t slot = raim_set_next(frame->seen_players, 0, world->max_players);
         slot < world->max_players;
         slot = raim_set_next(frame->seen_players, slot + 1, world->max_players)) {
        const raim_player *player = player_at(picture, slot);
        const struct target target = {player->position, world->rules.player_radius, player, NULL};
        if (slot != frame->self.slot)
            check_target(picture, "player", slot, &target);
    }
    for (uint32_t slot = raim_set_next(frame->seen_bullets, 0, world->max_bullets);
         slot < world->max_bullets;
         slot = raim_set_next(frame->seen_bullets, slot + 1, world->max_bullets)) {
        const raim_bullet *bullet = &raim_world_bullets_const(world)[slot];
        const struct target target = {
            raim_bullet_position(&world->rules, bullet, world->tick, TICK_HZ),
            world->rules.bullet_radius, NULL, bullet};
        check_target(picture, "bullet", slot, &target);
    }
}

// Whether a player has been on the screen in this tick and in those before, without a break.
static bool is_long_in_sight(const struct picture *picture, uint32_t slot)
{
    const struct simulation *simulation = picture->simulation;
    const uint32_t viewer_slot = picture->frame->self.slot;
    const raim_player *now = player_at(picture, slot);
    for (uint32_t ago = 0; ago < IN_SIGHT_TICKS; ago++) {
        const uint32_t tick = picture->world->tick - ago;
        const struct raim_world *world = simulation->worlds[tick % KEPT_WORLDS];
        if (!simulation->has_world[tick % KEPT_WORLDS] || world->tick != tick)
            return false;
        const raim_player *target = &raim_world_players_const(world)[slot];
        const raim_player *viewer = &raim_world_players_const(world)[viewer_slot];
        if (target->state != RAIM_PLAYER_ALIVE || target->id != now->id ||
            target->life != now->life || viewer->life != picture->viewer->life ||
            viewer->id != picture->viewer->id ||
            !judge_is_on_screen(&simulation->judge, viewer->position, target->position,
                                simulation->judge.player_radius))
            return false;
    }
    return true;
}

static void check_all_in_sight_is_told(const struct picture *picture)
{
    for (uint32_t slot = 0; slot < picture->limits->players; slot++) {
        const raim_player *player = player_at(picture, slot);
        if (!raim_set_has(picture->frame->seen_players, slot) && is_long_in_sight(picture, slot))
            fail(picture->simulation, "all_in_sight_is_told",
                 "peer %u, tick %u, at (%.3f, %.3f): not of slot %u at (%.3f, %.3f)",
                 picture->peer->index, picture->frame->tick, picture->viewer->position.x,
                 picture->viewer->position.y, slot, player->position.x, player->position.y);
    }
}

static void check_snapshot(struct simulation *simulation, struct peer *peer)
{
    const struct raim_client *client = peer->client;
    const uint32_t tick = client->replica.newest_tick;
    const struct raim_wire_frame *frame = raim_replica_frame(&client->replica, tick);
    const struct raim_world *world = simulation->worlds[tick % KEPT_WORLDS];
    if (frame == NULL || !simulation->has_world[tick % KEPT_WORLDS] || world->tick != tick ||
        client->welcome.max_players != world->max_players)
        return;
    struct picture picture = {
        simulation, peer,  &client->replica.limits,
        frame,      world, &raim_world_players_const(world)[frame->self.slot]};
    simulation->verdict->snapshots++;
    check_told_players_are_true(&picture);
    check_told_bullets_are_true(&picture);
    // Before its first spawn a player has no position.
    if (picture.viewer->state != RAIM_PLAYER_ALIVE && picture.viewer->deaths == 0)
        return;
    if (raim_random_below(&peer->random, JUDGED_SHARE) != 0)
        return;
    check_nothing_hidden_is_told(&picture);
    check_all_in_sight_is_told(&picture);
}

// --- events ---

static uint64_t roster_hash(const struct raim_client *client)
{
    uint64_t hash = 0;
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *entry = raim_client_get_roster_entry(client, slot);
        if (entry->id == RAIM_NOBODY)
            continue;
        const uint32_t row[3] = {entry->id, entry->score, entry->deaths};
        hash = hash * 31 + raim_digest(row, sizeof row) +
               raim_digest(entry->name, strlen(entry->name));
    }
    return hash;
}

// After the same events a client and the server have the same players with the same scores.
static void check_roster_follows_events(struct simulation *simulation, struct peer *peer)
{
    const uint32_t events = peer->client->roster.next_sequence;
    if (peer->is_liar || events == peer->roster_events ||
        (peer->watches && simulation->match_def.spectator_delay_s > 0))
        return;
    peer->roster_events = events;
    if (simulation->rosters[events % KEPT_ROSTERS].is_valid &&
        simulation->rosters[events % KEPT_ROSTERS].events == events &&
        simulation->rosters[events % KEPT_ROSTERS].hash != roster_hash(peer->client))
        fail(simulation, "rosters_follow_events", "peer %u after event %u", peer->index, events);
}

// False for what a killed server sent, whose ticks are played again, and for a client that has not
// read the WELCOME of this match yet.
static bool is_of_this_match(const struct simulation *simulation, const struct peer *peer)
{
    return peer->connection != NO_CONNECTION && simulation->is_connected[peer->connection] &&
           raim_tick_diff(peer->client->welcome.tick, simulation->bound_tick) >= 0;
}

// Events that count as received are not sent again. Of a liar the match believes what it says.
static void check_acknowledged_is_received(struct simulation *simulation, const struct peer *peer)
{
    const struct raim_connection *connection = &simulation->match->connections[peer->connection];
    const uint32_t acked = connection->events.acked, has = peer->client->roster.next_sequence;
    if (!peer->is_liar && connection->epoch == peer->client->welcome.epoch &&
        (int32_t)(acked - has) > 0)
        fail(simulation, "acknowledged_is_received", "peer %u has %u events, and not %u",
             peer->index, has, acked);
}

void invariants_check_client(struct simulation *simulation, struct peer *peer)
{
    const struct raim_client_stats *stats = raim_client_get_stats(peer->client);
    if (!is_of_this_match(simulation, peer))
        return;
    check_acknowledged_is_received(simulation, peer);
    check_roster_follows_events(simulation, peer);
    if (stats->snapshots != peer->snapshots)
        check_snapshot(simulation, peer);
    peer->snapshots = stats->snapshots;
    if (!raim_client_is_spectator(peer->client)) {
        const struct raim_client_roster_entry *own =
            raim_client_get_roster_entry(peer->client, raim_client_own_slot(peer->client));
        peer->round = raim_client_get_phase(peer->client).round;
        peer->score = own->score;
    }
}

// A session that is resumed is that of the same player, with its points.
void invariants_check_entry(struct simulation *simulation, struct peer *peer)
{
    const struct raim_client_stats *stats = raim_client_get_stats(peer->client);
    const bool has_resumed = stats->resumes != peer->resumes;
    invariants_take_events(simulation, peer); // of the match before
    peer->entries = stats->entries;
    peer->resumes = stats->resumes;
    peer->was_announced = false;
    peer->roster_events = 0;
    if (peer->is_liar || raim_client_is_spectator(peer->client))
        return;
    const struct raim_client_roster_entry *own =
        raim_client_get_roster_entry(peer->client, raim_client_own_slot(peer->client));
    simulation->verdict->resumes += has_resumed;
    if (has_resumed && peer->id == own->id &&
        raim_client_get_phase(peer->client).round == peer->round && own->score < peer->score)
        fail(simulation, "scores_survive", "peer %u had %u points, and now has %u", peer->index,
             peer->score, own->score);
    peer->id = own->id;
    peer->round = raim_client_get_phase(peer->client).round;
    peer->score = own->score;
}

// The operator counts aloud.
void invariants_take_events(struct simulation *simulation, struct peer *peer)
{
    struct raim_client_event event;
    while (raim_client_next_event(peer->client, &event)) {
        simulation->verdict->digest =
            simulation->verdict->digest * 31 + event.kind + 7u * event.player;
        if (event.kind != RAIM_CLIENT_CHAT || !event.by_operator || peer->is_liar)
            continue;
        const uint64_t said = strtoull(event.text, NULL, 10);
        if (said <= peer->announcement)
            fail(simulation, "events_do_not_repeat", "peer %u read %llu after %llu", peer->index,
                 (unsigned long long)said, (unsigned long long)peer->announcement);
        if (peer->was_announced && !peer->is_stalled && said != peer->announcement + 1)
            fail(simulation, "events_have_no_gap", "peer %u read %llu after %llu", peer->index,
                 (unsigned long long)said, (unsigned long long)peer->announcement);
        peer->was_announced = true;
        peer->announcement = said;
    }
}

// --- after a restart ---

// The checkpoint is saved before messages are sent: nobody has seen what it does not have.
void invariants_check_restored(struct simulation *simulation)
{
    struct raim_match_player rows[MAX_SLOTS];
    const uint32_t count = raim_match_players(simulation->match, rows, MAX_SLOTS);
    const uint32_t round = raim_match_round(simulation->match).round;
    for (uint32_t i = 0; i < simulation->honest_count; i++) {
        const struct peer *peer = &simulation->peers[i];
        if (peer->client == NULL || peer->state != RAIM_CLIENT_PLAYING)
            continue;
        for (uint32_t row = 0; row < count; row++) {
            const uint32_t slot = raim_player_slot(rows[row].id);
            if (slot >= raim_client_max_players(peer->client))
                continue;
            const struct raim_client_roster_entry *entry =
                raim_client_get_roster_entry(peer->client, slot);
            if (entry->id == rows[row].id && raim_client_get_phase(peer->client).round == round &&
                (entry->score > rows[row].score || entry->deaths > rows[row].deaths))
                fail(simulation, "scores_survive",
                     "peer %u was told that %u has %u points and %u deaths, and now it has %u, %u",
                     peer->index, entry->id, entry->score, entry->deaths, rows[row].score,
                     rows[row].deaths);
        }
    }
}

// --- when the network is quiet ---

static void check_client_converges(struct simulation *simulation, const struct peer *peer)
{
    const struct raim_client *client = peer->client;
    const uint64_t second_us = (uint64_t)CONVERGE_STEPS * SECOND_US / TICK_HZ;
    const uint64_t quiet_us = (uint64_t)simulation->quiet->begin * SECOND_US / TICK_HZ;
    // A new connection has begun in quiet, unless it was there when everything became so.
    uint64_t since_us = quiet_us > peer->playing_since_us ? quiet_us : peer->playing_since_us;
    if (peer->playing_since_us < quiet_us && peer->settled_us > since_us)
        since_us = peer->settled_us;
    const bool is_late = peer->watches && simulation->match_def.spectator_delay_s > 0;
    if (simulation->now_us - second_us < since_us || simulation->now_us < since_us || is_late ||
        !is_of_this_match(simulation, peer))
        return;
    simulation->verdict->quiet_checks++;
    const uint32_t tick = raim_match_tick(simulation->match);
    const int32_t age = raim_tick_diff(tick, client->replica.newest_tick);
    if (age > CONVERGE_STEPS)
        fail(simulation, "clients_converge", "peer %u has a snapshot of %d ticks ago", peer->index,
             age);
    const uint32_t then = simulation->step - CONVERGE_STEPS;
    const uint32_t events = simulation->events_by_step[then % (4 * TICK_HZ)];
    if ((int32_t)(events - client->roster.next_sequence) > 0)
        fail(simulation, "clients_converge", "peer %u lacks event %u of a second ago: has %u",
             peer->index, events, client->roster.next_sequence);
}

// Memory is as much as it was in the first quiet times, or little more.
static void check_heap(struct simulation *simulation)
{
    const uint64_t live = heap_count().live;
    if (simulation->step + 1 != simulation->quiet->end)
        return;
    if (simulation->quiet_count++ < 2) {
        if (live > simulation->quiet_blocks)
            simulation->quiet_blocks = live;
    } else if (live > simulation->quiet_blocks + simulation->quiet_blocks / 4 + 64) {
        fail(simulation, "memory_does_not_grow", "%llu blocks instead of %llu",
             (unsigned long long)live, (unsigned long long)simulation->quiet_blocks);
    }
}

// Reliable messages that a bad line lost are resent after times that double, also into the quiet
// time; ENet would end some of these connections.
static bool is_still_delayed(const struct simulation *simulation, const struct peer *peer)
{
    const uint64_t return_us = (uint64_t)RETURN_STEPS * SECOND_US / TICK_HZ;
    return peer->settled_us != UINT64_MAX && simulation->now_us < peer->settled_us + return_us;
}

void invariants_check_quiet(struct simulation *simulation)
{
    const uint32_t quiet_steps = simulation->step - simulation->quiet->begin;
    for (uint32_t i = 0; i < simulation->honest_count; i++) {
        const struct peer *peer = &simulation->peers[i];
        const bool plays = peer->client != NULL && peer->state == RAIM_CLIENT_PLAYING;
        if (plays)
            check_client_converges(simulation, peer);
        else if (quiet_steps > RETURN_STEPS && !is_still_delayed(simulation, peer))
            fail(simulation, "everybody_comes_back", "peer %u is in state %d", i,
                 peer->client == NULL ? -1 : (int)peer->state);
    }
    check_heap(simulation);
}
