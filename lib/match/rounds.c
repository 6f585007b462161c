// SPDX-License-Identifier: MIT
// Rounds: clock, end, break and pauses.
#include "rounds.h"

#include "match_internal.h"

#include "recording_input.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct raim_rounds) == 8 + 5 * 4 + 4, "no padding");

static const uint32_t wire_rounds = 1 << 16; // the wire carries a round's number modulo this

// Starts the clock of a round with the present tuning.
static void start(struct raim_match *match)
{
    struct raim_rounds *rounds = &match->rounds;
    const uint32_t ticks = raim_match_ticks_of(match, match->policy.tuning.round_s);
    rounds->phase = RAIM_PHASE_PLAY;
    rounds->has_end = match->policy.tuning.round_s > 0;
    rounds->left_ticks = rounds->has_end && ticks == 0 ? 1 : ticks;
    rounds->score_limit = match->policy.tuning.score_limit;
    rounds->winner = RAIM_NOBODY;
    rounds->played_ticks = 0;
    rounds->start_ms = 0;
    raim_votes_begin_round(&match->votes);
    raim_departed_clear(&match->departed);
}

static enum raim_phase phase_of(const struct raim_rounds *rounds)
{
    return rounds->paused ? RAIM_PHASE_PAUSED : (enum raim_phase)rounds->phase;
}

void raim_rounds_begin(struct raim_match *match)
{
    match->rounds = (struct raim_rounds){.round = 1};
    start(match);
    raim_rounds_mark_phase_sent(match);
}

bool raim_rounds_are_sound(const struct raim_rounds *rounds)
{
    static const uint32_t longest_ticks = 86400 * 240; // round_s by tick_hz
    return rounds->round > 0 && rounds->left_ticks <= longest_ticks && rounds->start_ms >= 0 &&
           rounds->start_ms <= INT64_C(1) << 53 && rounds->winner <= UINT16_MAX &&
           rounds->paused <= RAIM_PAUSED_BY_VOTE && rounds->has_end <= 1 &&
           (rounds->phase == RAIM_PHASE_PLAY || rounds->phase == RAIM_PHASE_BREAK);
}

void raim_rounds_mark_phase_sent(struct raim_match *match)
{
    match->rounds.sent_phase = (uint8_t)phase_of(&match->rounds);
    match->delayed_spectators.phase = raim_rounds_phase(match);
}

bool raim_rounds_is_frozen(const struct raim_rounds *rounds)
{
    return phase_of(rounds) != RAIM_PHASE_PLAY;
}

// The clock of a round waits for the first player or bot, so that none runs in an empty arena.
bool raim_match_is_waiting_for_players(const struct raim_match *match)
{
    const struct raim_rounds *rounds = &match->rounds;
    return rounds->phase == RAIM_PHASE_PLAY && rounds->played_ticks == 0 && match->playing == 0 &&
           match->def.bots == 0;
}

void raim_rounds_note_join(struct raim_match *match)
{
    if (match->rounds.has_end && raim_match_is_waiting_for_players(match))
        match->rounds.sent_phase = RAIM_PHASES; // the next step logs the phase with its end
}

struct raim_wire_phase raim_rounds_phase(const struct raim_match *match)
{
    const struct raim_rounds *rounds = &match->rounds;
    const enum raim_phase phase = phase_of(rounds);
    const bool has_end =
        rounds->has_end && !rounds->paused && !raim_match_is_waiting_for_players(match);
    struct raim_wire_phase told = {
        .phase = phase,
        .round = rounds->round % wire_rounds,
        .has_end = has_end,
        .end_tick = has_end ? match->world->tick + rounds->left_ticks : 0,
        .score_limit = rounds->score_limit,
        .winner = phase == RAIM_PHASE_BREAK ? rounds->winner : RAIM_NOBODY,
    };
    if (phase == RAIM_PHASE_BREAK && !match->votes.replays_map)
        strcpy(told.next_map, match->next_map);
    return told;
}

// Logs the event of a phase that begins in `tick`. A frozen phase removes all bullets, so that no
// player can be hit.
static void log_phase(struct raim_match *match, uint32_t tick)
{
    struct raim_wire_event *event = raim_event_log_add(&match->log, tick);
    event->kind = RAIM_WIRE_PHASE;
    event->phase = raim_rounds_phase(match);
    match->rounds.sent_phase = (uint8_t)event->phase.phase;
    raim_recording_input_phase(match->records, &event->phase);
    if (!raim_rounds_is_frozen(&match->rounds))
        return;
    raim_world_clear_bullets(match->world);
    raim_recording_input_clear_bullets(match->records);
}

bool raim_match_is_round_due(const struct raim_match *match)
{
    const struct raim_rounds *rounds = &match->rounds;
    return !rounds->paused && rounds->phase == RAIM_PHASE_BREAK && rounds->left_ticks == 0;
}

void raim_rounds_begin_step(struct raim_match *match)
{
    if (raim_match_is_round_due(match)) {
        match->rounds.round++;
        start(match);
        raim_players_begin_round(match);
        raim_world_begin_round(match->world);
        raim_recording_input_begin_round(match->records);
    }
    if (match->rounds.sent_phase != phase_of(&match->rounds))
        log_phase(match, match->world->tick + 1);
}

// The player with most points; RAIM_NOBODY without points or in a draw.
static raim_player_id find_winner(const struct raim_match *match, uint32_t *most)
{
    const raim_player *players = raim_world_players_const(match->world);
    raim_player_id winner = RAIM_NOBODY;
    *most = 0;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const raim_player *player = &players[slot];
        if (player->score < *most)
            continue;
        winner = player->score > *most ? player->id : RAIM_NOBODY;
        *most = player->score;
    }
    return winner;
}

void raim_rounds_end_step(struct raim_match *match)
{
    struct raim_rounds *rounds = &match->rounds;
    if (rounds->paused || raim_match_is_waiting_for_players(match))
        return;
    rounds->left_ticks -= rounds->left_ticks > 0;
    if (rounds->phase == RAIM_PHASE_BREAK)
        return;
    rounds->played_ticks++;
    uint32_t most;
    const raim_player_id winner = find_winner(match, &most);
    const bool ends_by_vote = raim_votes_take_round_end(&match->votes);
    const bool is_over = (rounds->has_end && rounds->left_ticks == 0) ||
                         (rounds->score_limit > 0 && most >= rounds->score_limit) || ends_by_vote;
    if (!is_over)
        return;
    rounds->phase = RAIM_PHASE_BREAK;
    rounds->has_end = true;
    rounds->left_ticks = raim_match_ticks_of(match, match->policy.tuning.break_s);
    rounds->winner = winner;
    log_phase(match, match->world->tick);
}

void raim_rounds_set_paused(struct raim_rounds *rounds, uint32_t by)
{
    rounds->paused = (uint8_t)by;
}

void raim_rounds_extend(struct raim_match *match, uint32_t ticks)
{
    struct raim_rounds *rounds = &match->rounds;
    const uint32_t longest = raim_match_ticks_of(match, 86400);
    assert(rounds->has_end && rounds->left_ticks <= longest);
    rounds->left_ticks +=
        ticks < longest - rounds->left_ticks ? ticks : longest - rounds->left_ticks;
    rounds->sent_phase = RAIM_PHASES; // the next step logs the phase with its new end
}

void raim_match_tune(struct raim_match *match, const struct raim_match_tuning *tuning)
{
    assert(tuning->max_players >= 1 && tuning->max_players <= match->def.tuning.max_players);
    assert(tuning->max_spectators <= match->def.tuning.max_spectators);
    assert(tuning->resume_grace_s >= 0 && tuning->resume_grace_s <= 600);
    assert(tuning->idle_timeout_s >= 0 && tuning->idle_timeout_s <= 86400);
    assert(tuning->round_s >= 0 && tuning->round_s <= 86400);
    assert(tuning->break_s >= 0 && tuning->break_s <= 300);
    assert(memchr(tuning->motd, '\0', sizeof tuning->motd) != NULL);
    assert(tuning->votes.kinds == 0 || (tuning->votes.time_s >= 5 && tuning->votes.time_s <= 300));
    assert(tuning->votes.yes_percent <= 99);
    raim_votes_renew_offer(&match->votes);
    match->policy.tuning = *tuning;
    match->policy.grace_ticks = raim_match_ticks_of(match, tuning->resume_grace_s);
    match->policy.idle_ticks = raim_match_ticks_of(match, tuning->idle_timeout_s);
    if (tuning->idle_timeout_s > 0 && match->policy.idle_ticks == 0)
        match->policy.idle_ticks = 1;
}

void raim_match_set_next_map(struct raim_match *match, const char *name)
{
    assert(strlen(name) <= RAIM_MAX_TITLE_BYTES);
    strcpy(match->next_map, name);
}

void raim_match_pause(struct raim_match *match, bool paused)
{
    raim_rounds_set_paused(&match->rounds, paused ? RAIM_PAUSED_BY_OPERATOR : 0);
}

struct raim_match_round raim_match_round(const struct raim_match *match)
{
    const struct raim_rounds *rounds = &match->rounds;
    return (struct raim_match_round){
        .phase = phase_of(rounds),
        .round = rounds->round,
        .has_end = rounds->has_end,
        .left_ticks = rounds->left_ticks,
        .score_limit = rounds->score_limit,
        .winner = (raim_player_id)rounds->winner,
        .played_ticks = rounds->played_ticks,
        .start_ms = rounds->start_ms,
    };
}

void raim_match_set_round_start(struct raim_match *match, int64_t start_ms)
{
    assert(start_ms > 0 && start_ms <= INT64_C(1) << 53);
    match->rounds.start_ms = start_ms;
}
