// SPDX-License-Identifier: MIT
// Creates and destroys a match: its defaults, its memory, its first tuning and its bots.
#include "match_internal.h"

#include "bot_paths.h"
#include "digest.h"
#include "text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct raim_match_def raim_match_default_def(void)
{
    return (struct raim_match_def){.rules = raim_rules_default(),
                                   .sight = true,
                                   .bot_skill = RAIM_BOT_NORMAL,
                                   .tuning = {.max_players = 64,
                                              .max_spectators = 8,
                                              .votes = raim_vote_default_tuning(),
                                              RAIM_MATCH_TUNING(RAIM_SETTING_DEFAULT)},
                                   .max_connections = 80,
                                   RAIM_MATCH_SETTINGS(RAIM_SETTING_DEFAULT)};
}

// Allocates the event log and, for delayed spectators, their history.
static bool allocate_log(struct raim_match *match)
{
    const struct raim_match_def *def = &match->def;
    const uint32_t slots = match->world->max_players;
    const uint32_t delay =
        def->tuning.max_spectators > 0 ? raim_match_ticks_of(match, def->spectator_delay_s) : 0;
    match->delayed_spectators.delay_ticks = delay;
    // Between two ticks each player may join and leave several times, chat and be destroyed. On
    // average there is about one event per player and second.
    if (!raim_event_log_create(&match->log, 8 * slots + RAIM_ROUNDS_EVENTS,
                               slots * delay / def->tick_hz, delay))
        return false;
    const struct raim_wire_limits *limits = &match->interest.history.limits;
    return delay == 0 ||
           raim_history_create(&match->delayed_spectators.history, limits, delay + limits->history);
}

// Allocates the visible sets of every client, by tick. Slots that are never used touch no memory.
static bool allocate_sent_views(struct raim_match *match)
{
    struct raim_match_interest *interest = &match->interest;
    const struct raim_wire_limits *limits = &interest->history.limits;
    const uint32_t connections = match->def.max_connections;
    const size_t words =
        raim_set_words(limits->players) + raim_set_words(raim_wire_bullets(limits));
    const size_t waits = limits->players + raim_wire_bullets(limits);
    interest->sent_view_bytes = sizeof(struct raim_sent_view) + words * sizeof(uint64_t);
    interest->sent_view = calloc((size_t)connections * limits->history, interest->sent_view_bytes);
    interest->waited = calloc(connections, waits);
    interest->priority_entries = calloc(waits, sizeof *interest->priority_entries);
    if (interest->sent_view == NULL || interest->waited == NULL ||
        interest->priority_entries == NULL)
        return false;
    for (uint32_t i = 0; i < connections; i++) {
        match->connections[i].sent_view =
            interest->sent_view + i * limits->history * interest->sent_view_bytes;
        match->connections[i].waited = interest->waited + i * waits;
    }
    return true;
}

static bool allocate_interest(struct raim_match *match)
{
    struct raim_match_interest *interest = &match->interest;
    struct raim_match_delayed_spectators *late = &match->delayed_spectators;
    const struct raim_match_def *def = &match->def;
    struct raim_interest_def interest_def = {
        .map = def->map,
        .history = &interest->history,
        .rules = def->rules,
        .tick_hz = def->tick_hz,
        .view = {def->view_width, def->view_height},
        .sight = def->sight,
        .max_latency = raim_snapshots_max_latency(def->tick_hz),
    };
    interest->present = raim_interest_create(&interest_def);
    if (interest->present == NULL)
        return false;
    if (late->delay_ticks == 0)
        return true;
    interest_def.history = &late->history;
    late->interest = raim_interest_create(&interest_def);
    return late->interest != NULL;
}

static bool allocate(struct raim_match *match, const struct raim_world_def *world_def)
{
    void *world = malloc(raim_world_size(world_def));
    if (world == NULL)
        return false;
    match->world = raim_world_init(world, world_def);
    match->identity = raim_world_identity(match->world, match->def.map);
    const uint32_t slots = match->world->max_players, bullets = match->world->max_bullets;
    match->connections = calloc(match->def.max_connections, sizeof *match->connections);
    match->connected = calloc(raim_set_words(match->def.max_connections), sizeof *match->connected);
    match->notices = calloc(match->def.max_connections, sizeof *match->notices);
    match->sessions = calloc(slots, sizeof *match->sessions);
    match->taken = calloc(raim_set_words(slots), sizeof *match->taken);
    match->inputs = calloc(slots, sizeof *match->inputs);
    match->step_events.capacity = raim_events_bound(slots, bullets);
    match->step_events.items =
        calloc(match->step_events.capacity, sizeof *match->step_events.items);
    match->workspace = raim_world_workspace_create();
    match->departed.rows = calloc(match->def.tuning.max_players, sizeof *match->departed.rows);
    if (match->connections == NULL || match->connected == NULL || match->notices == NULL ||
        match->sessions == NULL || match->taken == NULL || match->inputs == NULL ||
        match->step_events.items == NULL || match->workspace == NULL ||
        match->departed.rows == NULL)
        return false;
    if (match->def.bots > 0 && match->def.bot_skill != RAIM_BOT_WANDERS &&
        match->def.bot_paths == NULL) {
        match->own_paths = raim_bot_paths_create(match->def.map, match->def.rules.player_radius);
        match->def.bot_paths = match->own_paths;
        if (match->own_paths == NULL)
            return false;
    }
    const struct raim_wire_limits limits = raim_wire_limits_of(match->world);
    return raim_history_create(&match->interest.history, &limits, limits.history) &&
           raim_origins_create(&match->origins, slots > match->def.max_connections
                                                    ? slots
                                                    : match->def.max_connections) &&
           allocate_log(match) && allocate_sent_views(match) && allocate_interest(match);
}

#define ASSERT_IN_RANGE(type, member, key, value, min, max, unit, applies, meaning)                \
    assert((double)def->member >= (min) && (double)def->member <= (max));

struct raim_match *raim_match_create(const struct raim_match_def *def)
{
    assert(def->tuning.max_players >= 1 && def->tuning.max_players <= 1000);
    assert(def->tuning.max_players + def->bots <= RAIM_MAX_PLAYERS);
    assert(def->tuning.max_spectators <= 1000);
    RAIM_MATCH_SETTINGS(ASSERT_IN_RANGE)
    assert(def->max_connections >= def->tuning.max_players);
    struct raim_match *match = calloc(1, sizeof *match);
    if (match == NULL)
        return NULL;
    match->def = *def;
    match->outbox.stage = RAIM_OUTBOX_DONE;
    match->snapshot_interval = 1;
    raim_match_tune(match, &def->tuning);
    const struct raim_world_def world_def = {
        .rules = def->rules,
        .tick_hz = def->tick_hz,
        .max_players = def->tuning.max_players + def->bots,
        .max_rewind = raim_ticks_of(def->lag_compensation_ms / 1000.0, def->tick_hz),
        .seed = def->seed,
    };
    if (!allocate(match, &world_def)) {
        raim_match_destroy(match);
        return NULL;
    }
    for (uint32_t i = 0; i < def->bots; i++)
        raim_players_add_bot(match, i + 1);
    raim_rounds_begin(match);
    return match;
}

void raim_match_destroy(struct raim_match *match)
{
    if (match == NULL)
        return;
    raim_history_destroy(&match->interest.history);
    raim_history_destroy(&match->delayed_spectators.history);
    free(match->world);
    free(match->connections);
    free(match->connected);
    free(match->notices);
    free(match->sessions);
    free(match->taken);
    raim_bot_paths_destroy(match->own_paths);
    raim_origins_destroy(&match->origins);
    free(match->inputs);
    raim_interest_destroy(match->interest.present);
    raim_interest_destroy(match->delayed_spectators.interest);
    free(match->interest.sent_view);
    free(match->interest.waited);
    free(match->interest.priority_entries);
    free(match->step_events.items);
    raim_world_workspace_destroy(match->workspace);
    free(match->departed.rows);
    raim_event_log_destroy(&match->log);
    free(match);
}
