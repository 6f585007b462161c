// SPDX-License-Identifier: MIT
// Replaces the match of an arena while it runs: offers, takes and returns prepared matches.
#define _GNU_SOURCE
#include "arena_internal.h"

#include "crypto.h"
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
static struct raim_match *create_match(const struct arena *arena, const struct config_arena *config,
                                       struct config *owner)
{
    struct raim_match_def def = config->match;
    def.tuning.max_players = arena->opened.max_players;
    def.tuning.max_spectators = arena->opened.max_spectators;
    def.max_connections = arena->opened.connections;
    memcpy(def.arena, config->name, sizeof def.arena);
    def.guard = &arena->opened.guard;
    if (owner != NULL && def.bots > 0 && def.bot_skill != RAIM_BOT_WANDERS)
        def.bot_paths = config_bot_paths(owner, def.map, def.rules.player_radius);
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
    struct raim_match *match = create_match(arena, config, owner);
    struct prepared_match *prepared =
        match != NULL ? prepared_match_create(config, owner, match) : NULL;
    if (prepared == NULL || arena->worker.recording.stream == NULL ||
        recording_memory_create(&prepared->records, match))
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
    log_arena_error(name, "access tokens rejected arena=%s: %s", name, error);
    access_control_stop_recording(control);
}

void arena_play_match(struct arena *arena, struct prepared_match *prepared)
{
    const struct admission_limits limits = config_limits(&prepared->config);
    arena->worker.current = prepared;
    arena->worker.config = &prepared->config;
    arena->worker.match = prepared->match;
    arena->worker.recording.records = &prepared->records;
    raim_match_tune(arena->worker.match, &prepared->config.match.tuning);
    const struct config_password *password = &prepared->config.password;
    transport_set_services(arena->worker.transport, prepared->config.name,
                           arena->worker.access_control != NULL || password->is_set,
                           password->is_set ? password->password.salt : NULL);
    transport_enable_queries(arena->worker.transport, prepared->config.queries);
    transport_set_limits(arena->worker.transport, prepared->config.address_validation, &limits);
    transport_set_dscp(arena->worker.transport, prepared->config.dscp);
    transport_limit_time(arena->worker.transport,
                         US_PER_S / prepared->config.match.tick_hz / RECEIVE_SHARE);
    arena->worker.a2s_cache = (struct a2s_cache){0};
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
    if (next->takes_waiting_round && raim_match_is_waiting_for_players(match))
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

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return ms > 0 ? ms : 1;
}

static void add_players(struct round_report *report, const struct arena *arena, uint32_t count,
                        bool left)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct raim_match_player *row = &arena->worker.rows[i];
        const bool is_here = !left && !row->bot && !row->away;
        struct round_player *player = &report->players[report->player_count++];
        *player = (struct round_player){
            .id = row->id,
            .bot = row->bot,
            .left = left,
            .score = row->score,
            .deaths = row->deaths,
            .shots = row->shots,
            .hits = row->hits,
            .ping_ms =
                is_here ? transport_ping_ms(arena->worker.transport, row->client) : ROUND_NO_PING,
        };
        memcpy(player->name, row->name, sizeof player->name);
        memcpy(player->subject, row->subject, sizeof player->subject);
    }
}

static void fill(struct round_report *report, const struct arena *arena,
                 const struct raim_match_round *round)
{
    const struct config_arena *config = arena->worker.config;
    *report = (struct round_report){
        .round = round->round,
        .start_ms = round->start_ms,
        .end_ms = now_ms(),
        .played_ticks = round->played_ticks,
        .tick_hz = config->match.tick_hz,
        .round_s = config->match.tuning.round_s,
        .score_limit = round->score_limit,
        .sight = config->match.sight,
        .rules = config->match.rules,
    };
    strcpy(report->arena, config->name);
    strcpy(report->template_name, config->template_name);
    strcpy(report->map, config->match.map->name);
    strcpy(report->recording, arena_recording_name(&arena->worker.recording));
    const uint32_t present =
        raim_match_players(arena->worker.match, arena->worker.rows, arena->opened.status_rows);
    add_players(report, arena, present, false);
    const uint32_t departed = raim_match_departed(arena->worker.match, arena->worker.rows,
                                                  arena->opened.max_players, &report->omitted);
    add_players(report, arena, departed, true);
}

static bool has_score(const struct round_report *report)
{
    for (uint32_t i = 0; i < report->player_count && report->score_limit > 0; i++)
        if (!report->players[i].left && report->players[i].score >= report->score_limit)
            return true;
    return false;
}

// Whether the present round is one whose end was not reported. Notes its beginning.
static bool has_open_round(struct arena *arena, struct raim_match_round *round)
{
    if (arena->worker.queue == NULL)
        return false;
    *round = raim_match_round(arena->worker.match);
    if (round->start_ms == 0) {
        const int64_t played_ms =
            (int64_t)round->played_ticks * 1000 / arena->worker.config->match.tick_hz;
        round->start_ms = now_ms() - played_ms;
        raim_match_set_round_start(arena->worker.match, round->start_ms > 0 ? round->start_ms : 1);
    }
    return round->round != arena->worker.ended_round;
}

void arena_rounds_run(struct arena *arena)
{
    struct raim_match_round round;
    if (!has_open_round(arena, &round) || round.phase != RAIM_MATCH_BREAK)
        return;
    struct round_report *report = event_queue_begin_round(arena->worker.queue);
    if (report == NULL && round.left_ticks > 0)
        return; // tried again in the next tick of the break
    arena->worker.ended_round = round.round;
    if (report == NULL) {
        event_queue_lose_round(arena->worker.queue);
        return;
    }
    fill(report, arena, &round);
    report->winner = round.winner;
    report->ended = has_score(report) ? ROUND_END_SCORE : ROUND_END_CLOCK;
    event_queue_end_round(arena->worker.queue);
    arena->worker.has_news = true;
}

void arena_rounds_cut(struct arena *arena, enum round_end ended)
{
    struct raim_match_round round;
    if (!has_open_round(arena, &round) || round.played_ticks == 0)
        return;
    struct round_report *report = event_queue_begin_round(arena->worker.queue);
    arena->worker.ended_round = round.round;
    if (report == NULL) {
        event_queue_lose_round(arena->worker.queue);
        return;
    }
    fill(report, arena, &round);
    report->ended = ended;
    event_queue_end_round(arena->worker.queue);
    arena->worker.has_news = true;
}

void arena_votes_watch(struct arena *arena)
{
    struct arena_votes *votes = &arena->worker.votes;
    struct raim_match_vote vote;
    if (!raim_match_running_vote(arena->worker.match, &vote))
        return;
    if (vote.number != votes->number)
        votes->address = (struct ip_address){0};
    votes->number = vote.number;
    const uint32_t target = raim_match_vote_target(arena->worker.match);
    if (target != UINT32_MAX)
        votes->address = transport_source(arena->worker.transport, target).ip;
}

static void post(struct arena *arena, const struct raim_match_vote *vote)
{
    const struct arena_votes *votes = &arena->worker.votes;
    const struct arena_event item = {
        .kind = ARENA_EVENT_VOTE,
        .vote = *vote,
        .address = vote->number == votes->number ? votes->address : (struct ip_address){0},
    };
    event_queue_post(arena->worker.queue, &item);
    arena->worker.has_news = true;
}

static void want_map(struct arena *arena, const char *map)
{
    struct arena_event item = {.kind = ARENA_EVENT_MAP_WANTED};
    strcpy(item.text, map);
    event_queue_post(arena->worker.queue, &item);
    arena->worker.has_news = true;
}

void arena_votes_run(struct arena *arena)
{
    struct arena_votes *votes = &arena->worker.votes;
    struct raim_match_vote vote;
    if (arena->worker.queue == NULL)
        return;
    if (raim_match_running_vote(arena->worker.match, &vote) && vote.number != votes->called) {
        votes->called = vote.number;
        post(arena, &vote);
    }
    if (!raim_match_take_ended_vote(arena->worker.match, &vote))
        return;
    votes->called = vote.number;
    post(arena, &vote);
    if (vote.outcome == RAIM_VOTE_PASSED && vote.subject.kind == RAIM_VOTE_MAP)
        want_map(arena, vote.subject.map);
}

static uint64_t hash(const struct arena *arena, uint64_t number)
{
    const uint64_t hashed = raim_crypto_siphash(arena->opened.origin_key, &number, sizeof number);
    return hashed != 0 ? hashed : 1;
}

void arena_votes_note_origin(struct arena *arena, uint32_t peer)
{
    const struct ip_address ip = transport_source(arena->worker.transport, peer).ip;
    const uint64_t host = ip_address_host(ip), network = ip_address_network(ip);
    raim_match_set_origin(arena->worker.match, peer, hash(arena, host), hash(arena, network));
}
