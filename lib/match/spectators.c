// SPDX-License-Identifier: MIT
// Spectators: whose view they receive, and the history for delayed ones.
#include "spectators.h"

#include "match_internal.h"

#include "text.h"

#include <assert.h>

// The player with most points; of equals the one in the lowest slot.
static raim_player_id find_best(const struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    const raim_player *best = NULL;
    for (uint32_t slot = 0; slot < match->world->max_players; slot++)
        if (players[slot].id != RAIM_NOBODY && (best == NULL || players[slot].score > best->score))
            best = &players[slot];
    return best != NULL ? best->id : RAIM_NOBODY;
}

static bool is_member(const struct raim_match *match, uint32_t id)
{
    const uint32_t slot = raim_player_slot((raim_player_id)id);
    return id != RAIM_NOBODY && slot < match->world->max_players &&
           raim_world_players_const(match->world)[slot].id == id;
}

// Without players a spectator keeps the view of a free slot, which shows nothing.
static void watch(struct raim_connection *client, raim_player_id id)
{
    client->watched = id;
    if (id != RAIM_NOBODY)
        client->slot = raim_player_slot(id);
}

// Where most spectators watch from: of all networks or, in `network`, of its origins. Counts those
// of `own` too.
static struct raim_origin find_largest(const struct raim_match *match, uint64_t network,
                                       uint64_t own, uint32_t *own_count)
{
    struct raim_origin largest = {0};
    raim_origins_clear(&match->origins);
    *own_count = 0;
    for (uint32_t i = raim_match_next_client(match, 0); i < match->def.max_connections;
         i = raim_match_next_client(match, i + 1)) {
        const struct raim_connection *client = &match->connections[i];
        const uint64_t from = network != 0 ? client->origin : client->network;
        if (!raim_is_spectator(client) || from == 0 || (network != 0 && client->network != network))
            continue;
        struct raim_origin *crowd = raim_origins_find(&match->origins, from);
        crowd->count++;
        *own_count += from == own;
        if (crowd->count > largest.count)
            largest = *crowd;
    }
    return largest;
}

// The spectator of an origin and network who came last.
static uint32_t find_last(const struct raim_match *match, uint64_t network, uint64_t origin)
{
    uint32_t last = match->def.max_connections;
    for (uint32_t i = raim_match_next_client(match, 0); i < match->def.max_connections;
         i = raim_match_next_client(match, i + 1)) {
        const struct raim_connection *client = &match->connections[i];
        if (raim_is_spectator(client) && client->network == network && client->origin == origin &&
            (last == match->def.max_connections ||
             raim_tick_diff(client->since_tick, match->connections[last].since_tick) >= 0))
            last = i;
    }
    return last;
}

uint32_t raim_spectators_find_evictable(const struct raim_match *match,
                                        const struct raim_connection *client)
{
    uint32_t own;
    if (match->watching != match->policy.tuning.max_spectators)
        return match->def.max_connections;
    // Whoever comes must not have the most afterwards, or they would take each other's places.
    const struct raim_origin network = find_largest(match, 0, client->network, &own);
    const bool is_foreign = own + 1 < network.count;
    const uint64_t crowded = is_foreign ? network.key : client->network;
    if (crowded == 0)
        return match->def.max_connections;
    const struct raim_origin origin = find_largest(match, crowded, client->origin, &own);
    if (!is_foreign && own + 1 >= origin.count)
        return match->def.max_connections;
    return find_last(match, crowded, origin.key);
}

static void evict(struct raim_match *match, struct raim_connection *client)
{
    raim_connections_leave(match, client, RAIM_REASON_FULL);
    client->state = RAIM_CONNECTION_REJECTED;
    client->reason = RAIM_REASON_FULL;
    raim_text_append(client->why,
                     "the places of spectators are full, and others of your address or "
                     "network watch, too");
}

bool raim_spectators_join(struct raim_match *match, struct raim_connection *client, uint32_t target)
{
    assert(client->watches);
    if (match->watching >= match->policy.tuning.max_spectators) {
        const uint32_t evictable = raim_spectators_find_evictable(match, client);
        if (evictable == match->def.max_connections)
            return false;
        evict(match, &match->connections[evictable]);
    }
    match->watching++;
    client->delay_ticks = match->delayed_spectators.delay_ticks;
    watch(client, is_member(match, target) ? (raim_player_id)target : find_best(match));
    return true;
}

void raim_spectators_leave(struct raim_match *match, const struct raim_connection *client)
{
    assert(raim_is_spectator(client));
    match->watching--;
}

void raim_spectators_receive(struct raim_match *match, struct raim_connection *client,
                             raim_reader *reader)
{
    struct raim_watch message;
    if (!client->watches) {
        match->totals.rejected[RAIM_REJECTED_UNEXPECTED]++;
        return;
    }
    if (!raim_watch_read(reader, &message)) {
        match->totals.rejected[RAIM_REJECTED_MALFORMED]++;
        return;
    }
    client->wants_switch = true;
    client->wanted = (raim_player_id)message.target;
}

// A switch makes the next snapshot nearly as large as a whole one, so its rate is limited.
static const uint32_t switches_per_s = 10;

void raim_spectators_switch(struct raim_match *match, struct raim_connection *client)
{
    if (match->world->tick - client->switched_tick < match->def.tick_hz / switches_per_s)
        return;
    client->wants_switch = false;
    client->switched_tick = match->world->tick;
    if (client->wanted == RAIM_NOBODY)
        watch(client, find_best(match));
    else if (is_member(match, client->wanted))
        watch(client, client->wanted);
}

static void apply_event(struct raim_match *match, enum raim_audience audience,
                        const struct raim_wire_event *event)
{
    if (event->kind != RAIM_WIRE_JOINED && event->kind != RAIM_WIRE_LEFT)
        return;
    for (uint32_t i = raim_match_next_client(match, 0); i < match->def.max_connections;
         i = raim_match_next_client(match, i + 1)) {
        struct raim_connection *client = &match->connections[i];
        if (!raim_is_spectator(client) || raim_audience_of(client) != audience)
            continue;
        if (event->kind == RAIM_WIRE_LEFT && client->watched == event->player)
            watch(client, find_best(match));
        else if (event->kind == RAIM_WIRE_JOINED && client->watched == RAIM_NOBODY)
            watch(client, (raim_player_id)event->player);
    }
}

// The phase as the late audience knows it.
static void update_late_phase(struct raim_match_delayed_spectators *late,
                              const struct raim_event_log *log)
{
    for (uint32_t i = log->was_due[RAIM_AUDIENCE_LATE]; i != log->due[RAIM_AUDIENCE_LATE]; i++) {
        const struct raim_wire_event *event = &raim_event_log_at(log, i)->event;
        if (event->kind == RAIM_WIRE_PHASE)
            late->phase = event->phase;
    }
}

void raim_spectators_apply_events(struct raim_match *match)
{
    const struct raim_event_log *log = &match->log;
    update_late_phase(&match->delayed_spectators, log);
    for (uint32_t audience = 0; match->watching > 0 && audience < RAIM_AUDIENCES; audience++)
        for (uint32_t i = log->was_due[audience]; i != log->due[audience]; i++)
            apply_event(match, audience, &raim_event_log_at(log, i)->event);
}

void raim_spectators_record(struct raim_match *match)
{
    struct raim_match_delayed_spectators *late = &match->delayed_spectators;
    if (late->delay_ticks == 0 || match->watching == 0) {
        late->history_ticks = 0;
        return;
    }
    raim_history_copy(&late->history, &match->interest.history, match->world->tick);
    late->history_ticks += late->history_ticks < late->history.ticks;
}
