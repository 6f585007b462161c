// SPDX-License-Identifier: MIT
// Which bout an arena plays, and what takes its place.
#define _GNU_SOURCE
#include "arena_internal.h"

#include "log.h"
#include "monotonic.h"

#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    US_PER_S = 1000000,
    // Of a tick's length, for reading: the rest is for the step and for what is sent, and for the
    // worker's other arenas.
    RECEIVE_SHARE = 4,
};

// --- The main thread's side ---

const struct config_arena *arena_config(const struct arena *arena)
{
    return &arena->main.shown->config;
}

// With all the places that the arena was opened for, so that others may become free for more; as
// many as are wanted are in use.
static struct raim_match *create_match(const struct arena *arena, const struct config_arena *config)
{
    struct raim_match_def def = raim_match_default_def();
    def.map = config->map;
    def.rules = config->rules;
    def.tick_hz = config->tick_hz;
    def.view_width = config->view_width;
    def.view_height = config->view_height;
    def.sight = config->sight;
    def.max_clients = arena->opened.max_players;
    def.max_spectators = arena->opened.max_spectators;
    def.spectator_delay_s = config->spectator_delay_s;
    def.max_rewind_s = config->lag_compensation_ms / 1000.0;
    def.resume_grace_s = config->resume_grace_s;
    def.idle_timeout_s = config->idle_timeout_s;
    def.max_connections = arena->opened.connections;
    def.bots = config->bots;
    def.round_s = config->round_s;
    def.score_limit = config->score_limit;
    def.break_s = config->break_s;
    memcpy(def.motd, config->motd, sizeof def.motd);
    def.guard = arena->opened.guard.context != NULL ? &arena->opened.guard : NULL;
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

struct prepared_match *arena_prepare(const struct arena *arena, const struct config_arena *config,
                                     struct config *owner)
{
    struct raim_match *match = create_match(arena, config);
    return match != NULL ? prepared_match_create(config, owner, match) : NULL;
}

const struct prepared_match *arena_bout(const struct arena *arena)
{
    return arena->main.shown;
}

void arena_offer(struct arena *arena, struct prepared_match *bout)
{
    if (!bout->at_once)
        arena->main.awaited = bout;
    prepared_match_push(&arena->shared.offered, bout);
}

bool arena_awaits(const struct arena *arena)
{
    return arena->main.awaited != NULL;
}

// Notes that a bout is on offer no more.
static void forget_offer(struct arena *arena, const struct prepared_match *bout)
{
    if (arena->main.awaited == bout)
        arena->main.awaited = NULL;
}

bool arena_collect(struct arena *arena)
{
    bool is_another = false;
    struct prepared_match *bouts = prepared_match_take(&arena->shared.played);
    for (struct prepared_match *bout = bouts; bout != NULL; bout = bout->next) {
        struct prepared_match *heir = bout->heir;
        forget_offer(arena, bout);
        if (heir == NULL)
            continue;
        forget_offer(arena, heir);
        arena->main.shown = heir;
        is_another = is_another || bout->match != NULL;
        if (bout->match == NULL) {
            heir->owner = bout->owner;
            bout->owner = NULL;
        }
    }
    prepared_match_free_all(bouts);
    return is_another;
}

// --- The worker's side ---

static void rename_admission(struct arena *arena, const char *name)
{
    char error[2 * PATH_MAX];
    if (arena->worker.admission == NULL)
        return;
    access_control_rename(arena->worker.admission, name);
    if (arena->worker.used_tokens == NULL ||
        used_tokens_file_rename(arena->worker.used_tokens, name, time(NULL), error, sizeof error))
        return;
    log_arena_error(name, "access tokens refused arena=%s: %s", name, error);
    access_control_stop_noting(arena->worker.admission);
    used_tokens_file_close(arena->worker.used_tokens);
    arena->worker.used_tokens = NULL;
}

void arena_play_bout(struct arena *arena, struct prepared_match *bout)
{
    const struct raim_match_tuning tuning = prepared_match_tuning(&bout->config);
    const struct gate_limits limits = config_limits(&bout->config);
    arena->worker.bout = bout;
    arena->worker.config = &bout->config;
    arena->worker.match = bout->match;
    raim_match_tune(arena->worker.match, &tuning);
    transport_offer(arena->worker.transport, bout->config.name, arena->worker.admission != NULL);
    transport_admit_queries(arena->worker.transport, bout->config.queries);
    transport_guard(arena->worker.transport, bout->config.address_validation, &limits);
    transport_limit_time(arena->worker.transport, US_PER_S / bout->config.tick_hz / RECEIVE_SHARE);
    arena->worker.answers = (struct answers){0};
    arena_checkpoint_rename(&arena->worker.keeper, bout->config.name);
    arena_checkpoint_note_map(&arena->worker.keeper, &bout->map);
    rename_admission(arena, bout->config.name);
}

static void give_back(struct arena *arena, struct prepared_match *bout)
{
    prepared_match_push(&arena->shared.played, bout);
    arena->worker.has_news = true;
}

static void begin_bout(struct arena *arena, struct prepared_match *bout)
{
    struct prepared_match *before = arena->worker.bout;
    if (bout->match == NULL)
        prepared_match_inherit(bout, before);
    else
        raim_match_transfer(bout->match, before->match, bout->keeps_round);
    arena_play_bout(arena, bout);
    before->heir = bout;
    give_back(arena, before);
}

// What was to come was made before this one.
static void expect_bout(struct arena *arena, struct prepared_match *bout)
{
    if (arena->worker.coming != NULL)
        give_back(arena, arena->worker.coming);
    arena->worker.coming = bout;
}

void arena_take_bouts(struct arena *arena)
{
    for (struct prepared_match *bout = prepared_match_take(&arena->shared.offered), *next;
         bout != NULL; bout = next) {
        next = bout->next;
        if (!bout->at_once) {
            expect_bout(arena, bout);
            continue;
        }
        if (bout->match != NULL)
            expect_bout(arena, NULL);
        else if (arena->worker.coming != NULL)
            config_tune(&arena->worker.coming->config, &bout->config);
        begin_bout(arena, bout);
    }
    if (arena->worker.coming == NULL || !raim_match_is_round_due(arena->worker.match))
        return;
    begin_bout(arena, arena->worker.coming);
    arena->worker.coming = NULL;
}
