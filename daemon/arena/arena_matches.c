// SPDX-License-Identifier: MIT
// Replaces the match of an arena while it runs: offers, takes and returns prepared matches.
#define _GNU_SOURCE
#include "arena_internal.h"

#include "arena_rounds.h"
#include "log.h"
#include "monotonic.h"

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    US_PER_S = 1000000,
    // The share of a tick for reading datagrams, 1/4. The rest is for the step, for sending, and
    // for the worker's other arenas.
    RECEIVE_SHARE = 4,
};

// --- The main thread's side ---

const struct config_arena *arena_config(const struct arena *arena)
{
    return &arena->main.current->config;
}

// Creates a match with every slot that the arena was opened for, so that limits can be raised
// later. arena_play_match sets how many of them are in use.
static struct raim_match *create_match(const struct arena *arena, const struct config_arena *config)
{
    struct raim_match_def def = config->match;
    def.tuning.max_players = arena->opened.max_players;
    def.tuning.max_spectators = arena->opened.max_spectators;
    def.max_connections = arena->opened.connections;
    memcpy(def.arena, config->name, sizeof def.arena);
    def.guard = &arena->opened.guard;
    if (getrandom(&def.seed, sizeof def.seed, 0) != sizeof def.seed)
        def.seed = monotonic_ns();
    return raim_match_create(&def);
}

bool arena_fits_players(const struct arena *arena, uint32_t max_players)
{
    return max_players <= arena->opened.max_players;
}

bool arena_fits_spectators(const struct arena *arena, uint32_t max_spectators)
{
    return max_spectators <= arena->opened.max_spectators;
}

bool arena_fits_bots(const struct arena *arena, uint32_t bots)
{
    return bots <= RAIM_MAX_PLAYERS - arena->opened.max_players;
}

void arena_name_maps(struct raim_match *match, const struct config_arena *config)
{
    const char *names[1 + CONFIG_MAX_ROTATION];
    static_assert(1 + CONFIG_MAX_ROTATION == RAIM_WIRE_VOTE_MAPS, "every map can be voted for");
    names[0] = config->match.map->name;
    for (int i = 0; i < config->rotation_count; i++)
        names[1 + i] = config->rotation[i]->name;
    raim_match_set_vote_maps(match, names, 1 + (uint32_t)config->rotation_count);
}

struct prepared_match *arena_prepare(const struct arena *arena, const struct config_arena *config,
                                     struct config *owner)
{
    struct raim_match *match = create_match(arena, config);
    struct prepared_match *prepared =
        match != NULL ? prepared_match_create(config, owner, match) : NULL;
    if (prepared == NULL || arena->worker.recording.stream == NULL ||
        match_tape_create(&prepared->tape, match))
        return prepared;
    prepared_match_free(prepared);
    return NULL;
}

const struct prepared_match *arena_prepared_match(const struct arena *arena)
{
    return arena->main.current;
}

void arena_offer(struct arena *arena, struct prepared_match *prepared)
{
    if (!prepared->at_once)
        arena->main.next_offer = prepared;
    prepared_match_push(&arena->shared.offered, prepared);
}

bool arena_has_next_offer(const struct arena *arena)
{
    return arena->main.next_offer != NULL;
}

// Notes that a prepared match is not on offer any more.
static void forget_offer(struct arena *arena, const struct prepared_match *prepared)
{
    if (arena->main.next_offer == prepared)
        arena->main.next_offer = NULL;
}

bool arena_collect(struct arena *arena)
{
    bool is_another = false;
    struct prepared_match *matches = prepared_match_take(&arena->shared.played);
    for (struct prepared_match *prepared = matches; prepared != NULL; prepared = prepared->next) {
        struct prepared_match *successor = prepared->successor;
        forget_offer(arena, prepared);
        if (successor == NULL)
            continue;
        forget_offer(arena, successor);
        arena->main.current = successor;
        is_another = is_another || prepared->match != NULL;
        if (prepared->match == NULL) {
            successor->owner = prepared->owner;
            prepared->owner = NULL;
        }
    }
    prepared_match_free_all(matches);
    return is_another;
}

// --- The worker's side ---

static void rename_access_control(struct arena *arena, const struct prepared_match *prepared)
{
    char error[2 * PATH_MAX];
    const char *name = prepared->config.name;
    struct access_control *control = arena->worker.access_control;
    if (control == NULL)
        return;
    access_control_set_arena(control, name);
    if (arena->opened.used_tokens == NULL ||
        used_tokens_file_rename(arena->opened.used_tokens, name, prepared->has_known_tokens,
                                time(NULL), error, sizeof error))
        return;
    log_arena_error(name, "access tokens refused arena=%s: %s", name, error);
    access_control_stop_recording(control);
}

void arena_play_match(struct arena *arena, struct prepared_match *prepared)
{
    const struct gate_limits limits = config_limits(&prepared->config);
    arena->worker.current = prepared;
    arena->worker.config = &prepared->config;
    arena->worker.match = prepared->match;
    arena->worker.recording.tape = &prepared->tape;
    raim_match_tune(arena->worker.match, &prepared->config.match.tuning);
    const struct config_password *password = &prepared->config.password;
    transport_offer(arena->worker.transport, prepared->config.name,
                    arena->worker.access_control != NULL || password->is_set,
                    password->is_set ? password->password.salt : NULL);
    transport_enable_queries(arena->worker.transport, prepared->config.queries);
    transport_set_limits(arena->worker.transport, prepared->config.address_validation, &limits);
    transport_set_dscp(arena->worker.transport, prepared->config.dscp);
    transport_limit_time(arena->worker.transport,
                         US_PER_S / prepared->config.match.tick_hz / RECEIVE_SHARE);
    arena->worker.answers = (struct answers){0};
    arena_checkpoint_rename(&arena->worker.checkpoint, prepared->config.name);
    arena_checkpoint_note_map(&arena->worker.checkpoint, &prepared->map);
    rename_access_control(arena, prepared);
}

static void give_back(struct arena *arena, struct prepared_match *prepared)
{
    prepared_match_push(&arena->shared.played, prepared);
    arena->worker.has_news = true;
}

static void begin_match(struct arena *arena, struct prepared_match *prepared)
{
    struct prepared_match *before = arena->worker.current;
    if (prepared->match != NULL && !prepared->keeps_round)
        arena_rounds_cut(arena, ROUND_END_CHANGED); // unless it has ended
    if (prepared->match == NULL) {
        prepared_match_inherit(prepared, before);
    } else {
        arena_recording_end(&arena->worker.recording, before->match);
        raim_match_transfer(prepared->match, before->match, prepared->keeps_round);
    }
    arena_play_match(arena, prepared);
    before->successor = prepared;
    give_back(arena, before);
}

// Replaces the match for the next round, which is older.
static void set_next_match(struct arena *arena, struct prepared_match *prepared)
{
    if (arena->worker.next != NULL)
        give_back(arena, arena->worker.next);
    arena->worker.next = prepared;
    raim_match_set_next_map(arena->worker.match,
                            prepared != NULL ? prepared->config.match.map->name : "");
}

static bool is_next_due(const struct arena *arena)
{
    const struct raim_match *match = arena->worker.match;
    const struct prepared_match *next = arena->worker.next;
    if (next == NULL)
        return false;
    if (next->takes_waiting_round && raim_match_waits_for_players(match))
        return true;
    return raim_match_is_round_due(match) && !raim_match_replays_map(match);
}

void arena_take_offers(struct arena *arena)
{
    for (struct prepared_match *prepared = prepared_match_take(&arena->shared.offered), *next;
         prepared != NULL; prepared = next) {
        next = prepared->next;
        if (!prepared->at_once) {
            set_next_match(arena, prepared);
            continue;
        }
        if (prepared->match != NULL)
            set_next_match(arena, NULL);
        else if (arena->worker.next != NULL)
            config_tune(&arena->worker.next->config, &prepared->config);
        begin_match(arena, prepared);
    }
    if (!is_next_due(arena))
        return;
    begin_match(arena, arena->worker.next);
    arena->worker.next = NULL;
}
