// SPDX-License-Identifier: MIT
// Calls, casts and decides votes, and puts their outcomes into effect.
#include "votes_internal.h"

#include "match_internal.h"

#include "name.h"
#include "text.h"

#include <assert.h>
#include <string.h>

static const uint32_t counts_per_s = 4;    // of a running vote
static const uint32_t pause_s = 120;       // longest pause by a vote
static const uint32_t most_extensions = 3; // of a round

struct raim_vote_tuning raim_vote_default_tuning(void)
{
    return (struct raim_vote_tuning){.kinds = RAIM_VOTE_EVERY_KIND,
                                     RAIM_VOTE_TUNING(RAIM_SETTING_DEFAULT)};
}

static bool is_running(const struct raim_match *match)
{
    return match->votes.running.subject.kind != 0;
}

bool raim_votes_is_past_newcomer_delay(const struct raim_match *match,
                                       const struct raim_match_session *session, uint32_t tick)
{
    return raim_tick_diff(tick, session->joined_tick) >=
           (int32_t)raim_match_ticks_of(match, match->policy.tuning.votes.newcomer_delay_s);
}

uint32_t raim_votes_offered(const struct raim_match *match)
{
    const struct raim_match_tuning *tuning = &match->policy.tuning;
    uint32_t kinds = tuning->votes.kinds;
    if (match->votes.offer.map_count < 2)
        kinds &= ~(RAIM_VOTE_BIT(RAIM_VOTE_MAP) | RAIM_VOTE_BIT(RAIM_VOTE_NEXTMAP));
    if (tuning->round_s == 0)
        kinds &= ~RAIM_VOTE_BIT(RAIM_VOTE_EXTEND);
    return kinds;
}

void raim_match_set_vote_maps(struct raim_match *match, const char *const maps[], uint32_t count)
{
    struct raim_match_votes *votes = &match->votes;
    assert(count <= RAIM_WIRE_VOTE_MAPS);
    votes->offer.map_count = count;
    for (uint32_t i = 0; i < count; i++) {
        assert(strlen(maps[i]) <= RAIM_MAX_TITLE_BYTES);
        strcpy(votes->offer.maps[i], maps[i]);
    }
    votes->offer_version++;
}

void raim_match_set_origin(struct raim_match *match, uint32_t client, uint64_t origin,
                           uint64_t network)
{
    assert(client < match->def.max_connections);
    match->connections[client].origin = origin;
    match->connections[client].network = network;
}

void raim_votes_begin_round(struct raim_match_votes *votes)
{
    votes->replays_map = false;
}

bool raim_votes_take_round_end(struct raim_match_votes *votes)
{
    const bool ends = votes->ends_round;
    votes->ends_round = false;
    return ends;
}

void raim_votes_renew_offer(struct raim_match_votes *votes)
{
    votes->offer_version++;
}

bool raim_match_replays_map(const struct raim_match *match)
{
    return match->votes.replays_map;
}

// --- Calling ---

// The session that a vote is about; NULL: none, or a bot.
static const struct raim_match_session *find_target(const struct raim_match *match, uint32_t id)
{
    const uint32_t slot = raim_player_slot((raim_player_id)id);
    if (id == RAIM_NOBODY || slot >= match->world->max_players ||
        raim_world_players_const(match->world)[slot].id != id || match->sessions[slot].bot)
        return NULL;
    return &match->sessions[slot];
}

static bool has_map(const struct raim_match *match, const char *map)
{
    for (uint32_t i = 0; i < match->votes.offer.map_count; i++)
        if (strcmp(match->votes.offer.maps[i], map) == 0)
            return true;
    return false;
}

static uint32_t extensions_of_round(const struct raim_match *match)
{
    return match->votes.extended_round == match->rounds.round ? match->votes.extensions : 0;
}

// Whether the effect of a vote is possible now.
static bool is_possible(const struct raim_match *match, uint32_t kind)
{
    const struct raim_rounds *rounds = &match->rounds;
    const bool is_play = rounds->phase == RAIM_PHASE_PLAY && rounds->paused == 0;
    switch (kind) {
    case RAIM_VOTE_NEXTMAP:
        return is_play && match->next_map[0] != '\0';
    case RAIM_VOTE_RESTART:
        return is_play;
    case RAIM_VOTE_EXTEND:
        return is_play && rounds->has_end && extensions_of_round(match) < most_extensions;
    case RAIM_VOTE_PAUSE:
        return rounds->phase == RAIM_PHASE_PLAY && rounds->paused != RAIM_PAUSED_BY_OPERATOR;
    default:
        return true;
    }
}

// Whether a session, or another one of its origin, is an administrator: a ban would meet both.
static bool is_immune(const struct raim_match *match, const struct raim_match_session *target)
{
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_match_session *session = &match->sessions[slot];
        if (session->admin_level > 0 &&
            (session == target || (session->origin != 0 && session->origin == target->origin)))
            return true;
    }
    return false;
}

// Ticks in seconds, rounded up; 0 for none and fewer.
static uint32_t seconds_of(const struct raim_match *match, int32_t count)
{
    const uint32_t hz = match->def.tick_hz;
    return count <= 0 ? 0 : ((uint32_t)count + hz - 1) / hz;
}

// The checks that cost next to nothing.
static uint32_t check_call(const struct raim_match *match, const struct raim_connection *client,
                           const struct raim_vote_subject *subject, uint32_t *amount)
{
    const struct raim_vote_tuning *tuning = &match->policy.tuning.votes;
    const uint32_t slot = raim_player_slot(client->player);
    if ((raim_votes_offered(match) & RAIM_VOTE_BIT(subject->kind)) == 0)
        return RAIM_VOTE_DISABLED;
    if (is_running(match))
        return RAIM_VOTE_RUNNING;
    *amount = seconds_of(match, raim_vote_penalties_call_delay(match, slot));
    if (*amount > 0)
        return RAIM_VOTE_TOO_SOON;
    const int32_t here = raim_tick_diff(match->world->tick, match->sessions[slot].joined_tick);
    *amount =
        seconds_of(match, (int32_t)raim_match_ticks_of(match, tuning->newcomer_delay_s) - here);
    if (*amount > 0)
        return RAIM_VOTE_NEWCOMER;
    if (raim_vote_has_player(subject->kind) && find_target(match, subject->player) == NULL)
        return RAIM_VOTE_NO_PLAYER;
    if (subject->kind == RAIM_VOTE_MAP && !has_map(match, subject->map))
        return RAIM_VOTE_NO_MAP;
    if (!is_possible(match, subject->kind) || subject->player == client->player)
        return RAIM_VOTE_NOT_NOW;
    return 0;
}

// The checks that read every session.
static uint32_t check_members(const struct raim_match *match,
                              const struct raim_vote_subject *subject, uint32_t *amount)
{
    const struct raim_vote_tuning *tuning = &match->policy.tuning.votes;
    if (raim_vote_has_player(subject->kind) &&
        is_immune(match, find_target(match, subject->player)))
        return RAIM_VOTE_IMMUNE;
    if (subject->kind == RAIM_VOTE_KICK &&
        raim_vote_count_addresses(match) < tuning->kick_players) {
        *amount = tuning->kick_players;
        return RAIM_VOTE_TOO_FEW;
    }
    return 0;
}

static void choose(struct raim_match *match, struct raim_match_session *session, uint32_t choice)
{
    session->vote.number = match->votes.running.number;
    session->vote.choice = (uint8_t)choice;
    session->vote.order = ++match->votes.choices;
}

// Returns RAIM_VOTE_TOO_FEW for a vote that could not pass.
static uint32_t begin(struct raim_match *match, const struct raim_connection *client,
                      const struct raim_vote_subject *subject, uint32_t *amount)
{
    struct raim_match_votes *votes = &match->votes;
    struct raim_match_session *caller = &match->sessions[raim_player_slot(client->player)];
    const bool has_target = raim_vote_has_player(subject->kind);
    const uint32_t target = raim_player_slot((raim_player_id)subject->player);
    votes->running = (struct raim_match_vote){
        .number = votes->running.number + 1,
        .subject = *subject,
        .caller = client->player,
        .resumes = subject->kind == RAIM_VOTE_PAUSE && match->rounds.paused != 0,
    };
    strcpy(votes->running.caller_name, caller->name);
    if (has_target)
        strcpy(votes->running.target_name, match->sessions[target].name);
    votes->target = has_target ? raim_vote_party_of(match, target) : (struct raim_vote_party){0};
    votes->began_tick = votes->counted_tick = match->world->tick;
    votes->end_tick =
        votes->began_tick + raim_match_ticks_of(match, match->policy.tuning.votes.time_s);
    votes->choices = 0;
    choose(match, caller, RAIM_VOTE_YES);
    const struct raim_vote_count count = raim_vote_count_running(match);
    if (!count.may_be_broad || count.tally.electors < count.tally.needed) {
        *amount = count.may_be_broad ? count.tally.needed + has_target : 0;
        votes->running = (struct raim_match_vote){.number = votes->running.number};
        return RAIM_VOTE_TOO_FEW;
    }
    votes->running.tally = count.tally;
    votes->tally_version++;
    raim_vote_messages_announce(match, &votes->running);
    return 0;
}

// The caller's address waits until it calls the next vote.
static void delay_caller(struct raim_match *match, double seconds)
{
    const double least = match->policy.tuning.votes.call_delay_s;
    raim_vote_penalties_add(match, RAIM_VOTE_NO_CALL, &match->votes.caller, false,
                            seconds > least ? seconds : least);
}

uint32_t raim_votes_call(struct raim_match *match, const struct raim_connection *client,
                         const struct raim_vote_subject *subject, uint32_t *amount)
{
    struct raim_vote_subject cleaned = *subject;
    *amount = 0;
    if (client->player == RAIM_NOBODY)
        return RAIM_VOTE_WATCHING;
    uint32_t rejection = check_call(match, client, subject, amount);
    if (rejection != 0)
        return rejection;
    match->votes.caller = raim_vote_party_of(match, client->slot);
    delay_caller(match, 0);
    rejection = check_members(match, subject, amount);
    if (rejection != 0)
        return rejection;
    const bool is_muted =
        match->sessions[client->slot].muted || raim_vote_penalties_mute(match, client->player);
    if (subject->reason[0] == '\0' || is_muted)
        cleaned.reason[0] = '\0';
    else if (!raim_text_clean(subject->reason, cleaned.reason, RAIM_MAX_VOTE_REASON_BYTES))
        return RAIM_VOTE_BAD;
    return begin(match, client, &cleaned, amount);
}

// --- Casting ---

uint32_t raim_votes_cast(struct raim_match *match, const struct raim_connection *client,
                         uint32_t choice)
{
    if (client->player == RAIM_NOBODY)
        return RAIM_VOTE_WATCHING;
    if (!is_running(match))
        return RAIM_VOTE_NONE;
    choose(match, &match->sessions[raim_player_slot(client->player)], choice);
    return 0;
}

// --- Effects ---

// Whether others than the target play from its address, and did before the vote began.
static bool shares_address(const struct raim_match *match)
{
    const struct raim_match_votes *votes = &match->votes;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_match_session *session = &match->sessions[slot];
        if (!session->bot && votes->target.origin != 0 && session->origin == votes->target.origin &&
            raim_world_players_const(match->world)[slot].id != votes->target.player &&
            raim_tick_diff(session->joined_tick, votes->began_tick) < 0)
            return true;
    }
    return false;
}

// Ends the session of the target, or those with which it has come back since the vote began.
static void remove_target(struct raim_match *match, const char *why)
{
    const struct raim_match_votes *votes = &match->votes;
    if (raim_match_kick(match, votes->target.player, why))
        return;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_vote_party party = raim_vote_party_of(match, slot);
        if (!match->sessions[slot].bot &&
            raim_vote_party_is_same(&votes->target, votes->running.shares_address, &party) &&
            raim_tick_diff(match->sessions[slot].joined_tick, votes->began_tick) >= 0)
            raim_match_kick(match, party.player, why);
    }
}

static void punish_target(struct raim_match *match, uint32_t kind, uint32_t minutes)
{
    const struct raim_match_votes *votes = &match->votes;
    raim_vote_penalties_add(match, kind, &votes->target, votes->running.shares_address,
                            60.0 * minutes);
}

// Keeps a kicked player out: the name of its access token and, at its address, its own name.
static void bar(struct raim_match *match, const struct raim_vote_party *barred)
{
    raim_vote_penalties_add(match, RAIM_VOTE_KICK, barred, true,
                            60.0 * match->policy.tuning.votes.kick_minutes);
}

bool raim_match_bar_kicked(struct raim_match *match, uint32_t number)
{
    if (match->votes.running.number != number || is_running(match))
        return false;
    bar(match, &match->votes.target);
    return true;
}

static void kick(struct raim_match *match)
{
    const char *reason = match->votes.running.subject.reason;
    char why[RAIM_MAX_TEXT_BYTES + 1];
    char *end = raim_text_append(why, "voted off");
    if (reason[0] != '\0')
        raim_text_append(raim_text_append(end, ": "), reason);
    struct raim_vote_party barred = match->votes.target;
    if (!match->votes.running.shares_address)
        barred.origin = 0; // its ban is up to the caller of the library
    bar(match, &barred);
    remove_target(match, why);
}

static void spectate(struct raim_match *match)
{
    const uint32_t minutes = match->policy.tuning.votes.penalty_minutes;
    char why[RAIM_MAX_TEXT_BYTES + 1];
    raim_vote_penalties_explain(RAIM_VOTE_SPECTATE, minutes, why);
    punish_target(match, RAIM_VOTE_SPECTATE, minutes);
    remove_target(match, why);
}

static void extend(struct raim_match *match)
{
    struct raim_match_votes *votes = &match->votes;
    votes->extensions = extensions_of_round(match) + 1;
    votes->extended_round = match->rounds.round;
    raim_rounds_extend(match, raim_match_ticks_of(match, 60.0 * votes->running.subject.minutes));
}

static void take_effect(struct raim_match *match)
{
    struct raim_match_votes *votes = &match->votes;
    switch (votes->running.subject.kind) {
    case RAIM_VOTE_KICK:
        kick(match);
        break;
    case RAIM_VOTE_MUTE:
        punish_target(match, RAIM_VOTE_MUTE, match->policy.tuning.votes.penalty_minutes);
        break;
    case RAIM_VOTE_SPECTATE:
        spectate(match);
        break;
    case RAIM_VOTE_RESTART:
        votes->replays_map = true;
        votes->ends_round = true;
        break;
    case RAIM_VOTE_NEXTMAP:
        votes->ends_round = true;
        break;
    case RAIM_VOTE_EXTEND:
        extend(match);
        break;
    case RAIM_VOTE_PAUSE:
        raim_rounds_set_paused(&match->rounds, votes->running.resumes ? 0 : RAIM_PAUSED_BY_VOTE);
        votes->paused_ticks = 0;
        break;
    default: // RAIM_VOTE_MAP is up to the caller of the library
        break;
    }
}

static void end(struct raim_match *match, uint32_t outcome, bool by_operator)
{
    struct raim_match_votes *votes = &match->votes;
    if (outcome == RAIM_VOTE_PASSED && !is_possible(match, votes->running.subject.kind))
        outcome = RAIM_VOTE_MOOT;
    votes->running.outcome = outcome;
    votes->running.by_operator = by_operator;
    votes->running.shares_address = shares_address(match);
    if (!by_operator && (outcome == RAIM_VOTE_FAILED || outcome == RAIM_VOTE_WITHDRAWN))
        delay_caller(match, match->policy.tuning.votes.newcomer_delay_s);
    raim_vote_messages_announce(match, &votes->running);
    if (outcome == RAIM_VOTE_PASSED)
        take_effect(match);
    votes->ended = votes->running;
    votes->has_ended = true;
    votes->running = (struct raim_match_vote){.number = votes->running.number};
}

uint32_t raim_votes_withdraw(struct raim_match *match, const struct raim_connection *client)
{
    if (!is_running(match))
        return RAIM_VOTE_NONE;
    if (client->player == RAIM_NOBODY || client->player != match->votes.running.caller)
        return RAIM_VOTE_NOT_CALLER;
    end(match, RAIM_VOTE_WITHDRAWN, false);
    return 0;
}

bool raim_match_decide_vote(struct raim_match *match, uint32_t outcome)
{
    assert(outcome == RAIM_VOTE_PASSED || outcome == RAIM_VOTE_FAILED ||
           outcome == RAIM_VOTE_CANCELLED);
    if (!is_running(match))
        return false;
    end(match, outcome, true);
    return true;
}

// --- The step ---

// Ends a pause by a vote after its longest time.
static void limit_pause(struct raim_match *match)
{
    if (match->rounds.paused != RAIM_PAUSED_BY_VOTE ||
        ++match->votes.paused_ticks < raim_match_ticks_of(match, pause_s))
        return;
    raim_rounds_set_paused(&match->rounds, 0);
}

void raim_votes_step(struct raim_match *match)
{
    struct raim_match_votes *votes = &match->votes;
    const uint32_t tick = match->world->tick;
    limit_pause(match);
    if (tick % match->def.tick_hz == 0)
        raim_vote_penalties_expire(votes->penalties, tick);
    if (!is_running(match))
        return;
    const struct raim_match_vote *running = &votes->running;
    const bool has_toggled =
        running->subject.kind == RAIM_VOTE_PAUSE && running->resumes != (match->rounds.paused != 0);
    if (!is_possible(match, running->subject.kind) || has_toggled) {
        end(match, RAIM_VOTE_MOOT, false);
        return;
    }
    const bool is_over = raim_tick_diff(tick, votes->end_tick) >= 0;
    const uint32_t pause_ticks = match->def.tick_hz / counts_per_s;
    if (!is_over && tick - votes->counted_tick < pause_ticks && tick != votes->began_tick)
        return;
    const struct raim_vote_count count = raim_vote_count_running(match);
    votes->counted_tick = tick;
    votes->tally_version += memcmp(&count.tally, &running->tally, sizeof count.tally) != 0;
    votes->running.tally = count.tally;
    const uint32_t outcome = raim_vote_count_decide(match, &count, is_over);
    if (outcome != 0)
        end(match, outcome, false);
}

// --- Reading them ---

static uint32_t left_ms(const struct raim_match *match)
{
    const int32_t left = raim_tick_diff(match->votes.end_tick, match->world->tick);
    return left > 0 ? (uint32_t)((uint64_t)left * 1000 / match->def.tick_hz) : 0;
}

bool raim_match_running_vote(const struct raim_match *match, struct raim_match_vote *vote)
{
    if (!is_running(match))
        return false;
    *vote = match->votes.running;
    vote->left_ms = left_ms(match);
    return true;
}

bool raim_match_take_ended_vote(struct raim_match *match, struct raim_match_vote *vote)
{
    const bool has_ended = match->votes.has_ended;
    if (has_ended)
        *vote = match->votes.ended;
    match->votes.has_ended = false;
    return has_ended;
}

uint32_t raim_match_vote_target(const struct raim_match *match)
{
    const uint32_t id = match->votes.running.subject.player;
    const struct raim_match_session *target = is_running(match) ? find_target(match, id) : NULL;
    if (target == NULL ||
        raim_world_players_const(match->world)[raim_player_slot((raim_player_id)id)].away)
        return UINT32_MAX;
    return target->client;
}
