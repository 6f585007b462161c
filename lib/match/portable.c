// SPDX-License-Identifier: MIT
// Copies a match member by member, and recreates it as the predecessor of another one.
#include "portable.h"

#include "match_internal.h"

#include "name.h"

#include <string.h>

static struct raim_portable_player export_row(const struct raim_match_player *row)
{
    struct raim_portable_player saved = {
        .id = row->id,
        .bot = row->bot,
        .muted = row->muted,
        .score = row->score,
        .deaths = row->deaths,
        .shots = row->shots,
        .hits = row->hits,
        .played_ticks = row->played_ticks,
        .inputs_due = row->inputs_due,
        .inputs_missed = row->inputs_missed,
    };
    memcpy(saved.name, row->name, sizeof saved.name);
    memcpy(saved.subject, row->subject, sizeof saved.subject);
    return saved;
}

static struct raim_portable_player export_player(const struct raim_match *match, uint32_t slot)
{
    struct raim_match_player row;
    const struct raim_match_session *session = &match->sessions[slot];
    raim_players_fill_row(match, slot, &row);
    struct raim_portable_player saved = export_row(&row);
    saved.winner = match->rounds.winner == row.id;
    saved.chat_debt_ticks = session->chat_debt_ticks;
    if (!row.bot)
        memcpy(saved.token, session->token, sizeof saved.token);
    return saved;
}

void raim_match_export(const struct raim_match *match, struct raim_portable_match *state,
                       struct raim_portable_player *rows, uint32_t capacity)
{
    const struct raim_rounds *rounds = &match->rounds;
    const struct raim_match_departed *departed = &match->departed;
    struct raim_match_vote vote;
    uint32_t count = 0;
    *state = (struct raim_portable_match){
        .tick_hz = match->def.tick_hz,
        .tick = match->world->tick,
        .events = match->log.end,
        .round = rounds->round,
        .phase = rounds->phase,
        .paused = rounds->paused,
        .has_end = rounds->has_end != 0,
        .left_ticks = rounds->left_ticks,
        .score_limit = rounds->score_limit,
        .played_ticks = rounds->played_ticks,
        .start_ms = rounds->start_ms,
    };
    strcpy(state->map, match->def.map->name);
    if (raim_match_running_vote(match, &vote))
        raim_vote_messages_describe(&vote, state->vote);
    for (uint32_t slot = raim_match_next_slot(match, 0);
         slot < match->world->max_players && count < capacity;
         slot = raim_match_next_slot(match, slot + 1))
        rows[count++] = export_player(match, slot);
    state->players = count;
    for (uint32_t i = 0; i < departed->count && count < capacity; i++)
        rows[count++] = export_row(&departed->rows[i]);
    state->departed = count - state->players;
    state->omitted = departed->omitted + departed->count - state->departed;
}

// Ticks of a match with another rate.
static uint32_t convert(const struct raim_match *match, const struct raim_portable_match *state,
                        uint32_t ticks)
{
    return (uint32_t)((uint64_t)ticks * match->def.tick_hz / state->tick_hz);
}

static struct raim_rounds rounds_of(const struct raim_match *match,
                                    const struct raim_portable_match *state)
{
    return (struct raim_rounds){
        .start_ms = state->start_ms,
        .round = state->round,
        .left_ticks = convert(match, state, state->left_ticks),
        .score_limit = state->score_limit,
        .winner = RAIM_NOBODY,
        .played_ticks = convert(match, state, state->played_ticks),
        .phase = (uint8_t)state->phase,
        .paused = (uint8_t)state->paused,
        .has_end = state->has_end,
    };
}

static bool is_player_sound(const struct raim_portable_player *player, bool has_session)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    const bool has_token = memcmp(player->token, none, sizeof none) != 0;
    return has_token == (has_session && !player->bot) && player->id <= UINT16_MAX &&
           player->inputs_missed <= player->inputs_due && raim_players_is_name(player->name) &&
           (player->subject[0] == '\0' || raim_players_is_name(player->subject));
}

static bool is_sound(const struct raim_match *match, const struct raim_portable_match *state,
                     const struct raim_portable_player *rows)
{
    char vote[RAIM_MAX_CHAT_BYTES + 1];
    if (state->tick_hz < 10 || state->tick_hz > 240 || state->phase > UINT8_MAX ||
        state->paused > UINT8_MAX ||
        (state->vote[0] != '\0' && !raim_text_clean(state->vote, vote, RAIM_MAX_CHAT_BYTES)))
        return false;
    const struct raim_rounds rounds = rounds_of(match, state);
    for (uint32_t i = 0; i < state->players + state->departed; i++)
        if (!is_player_sound(&rows[i], i < state->players))
            return false;
    return raim_rounds_are_sound(&rounds);
}

// Under the id that it had, if that fits.
static raim_player_id join(struct raim_world *world, uint32_t id)
{
    const uint32_t slot = raim_player_slot((raim_player_id)id);
    if (id < RAIM_MAX_PLAYERS || slot >= world->max_players ||
        raim_world_players_const(world)[slot].id != RAIM_NOBODY)
        return raim_world_join(world);
    raim_world_rejoin(world, (raim_player_id)id);
    return (raim_player_id)id;
}

static void place_client(struct raim_match *match, raim_player_id id,
                         const struct raim_portable_player *saved)
{
    struct raim_match_session *session = &match->sessions[raim_player_slot(id)];
    *session = (struct raim_match_session){
        .muted = saved->muted,
        .away_since = match->world->tick,
        .inputs = {saved->inputs_due, saved->inputs_missed},
        .chat_debt_ticks = saved->chat_debt_ticks,
    };
    memcpy(session->name, saved->name, sizeof session->name);
    session->key = raim_name_key_of(session->name);
    memcpy(session->subject, saved->subject, sizeof session->subject);
    memcpy(session->token, saved->token, sizeof session->token);
    raim_set_add(match->taken, raim_player_slot(id));
    raim_world_set_away(match->world, id, true);
    match->playing++;
}

static void place(struct raim_match *match, const struct raim_portable_match *state,
                  const struct raim_portable_player *saved)
{
    const raim_player_id id = join(match->world, saved->id);
    const uint32_t slot = raim_player_slot(id);
    struct raim_match_session *session = &match->sessions[slot];
    if (saved->bot)
        raim_players_place_bot(match, id, saved->name);
    else
        place_client(match, id, saved);
    raim_world_players(match->world)[slot].score = saved->score;
    raim_world_players(match->world)[slot].deaths = saved->deaths;
    session->joined_tick = match->world->tick - convert(match, state, saved->played_ticks);
    session->shots_before = 0 - saved->shots; // modulo 2^32, see match.h
    session->hits_before = 0 - saved->hits;
    if (saved->winner)
        match->rounds.winner = id;
}

static void depart(struct raim_match *match, const struct raim_portable_match *state,
                   const struct raim_portable_player *saved)
{
    struct raim_match_player row = {
        .bot = saved->bot,
        .muted = saved->muted,
        .id = (raim_player_id)saved->id,
        .score = saved->score,
        .deaths = saved->deaths,
        .shots = saved->shots,
        .hits = saved->hits,
        .played_ticks = convert(match, state, saved->played_ticks),
        .inputs_due = saved->inputs_due,
        .inputs_missed = saved->inputs_missed,
    };
    memcpy(row.name, saved->name, sizeof row.name);
    memcpy(row.subject, saved->subject, sizeof row.subject);
    raim_departed_add(match, &row);
}

static void fill_rest(struct raim_match *match, const struct raim_portable_match *state,
                      const struct raim_portable_player *rows)
{
    strcpy(match->votes.cancelled, state->vote);
    match->departed.omitted += state->omitted;
    for (uint32_t i = state->players; i < state->players + state->departed; i++)
        depart(match, state, &rows[i]);
}

// How many of the same kind, client or bot, come before a player: clients by points.
static uint32_t rank(const struct raim_portable_match *state,
                     const struct raim_portable_player *rows, uint32_t index)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < state->players; i++)
        before += rows[i].bot == rows[index].bot &&
                  ((!rows[i].bot && rows[i].score > rows[index].score) ||
                   (i < index && (rows[i].bot || rows[i].score == rows[index].score)));
    return before;
}

static void fill(struct raim_match *match, const struct raim_portable_match *state,
                 const struct raim_portable_player *rows)
{
    raim_players_clear_bots(match);
    match->world->tick = state->tick;
    match->rounds = rounds_of(match, state);
    raim_event_log_restart(&match->log, state->events);
    for (uint32_t i = 0; i < state->players; i++) {
        if (rank(state, rows, i) < (rows[i].bot ? match->def.bots : match->def.tuning.max_players))
            place(match, state, &rows[i]);
        else if (!rows[i].bot)
            depart(match, state, &rows[i]);
    }
    fill_rest(match, state, rows);
}

void raim_match_import_rest(struct raim_match *match, const struct raim_portable_match *state,
                            const struct raim_portable_player *rows)
{
    if (state->round == match->rounds.round && is_sound(match, state, rows))
        fill_rest(match, state, rows);
}

bool raim_match_import(struct raim_match *match, const struct raim_portable_match *state,
                       const struct raim_portable_player *rows)
{
    if (!is_sound(match, state, rows))
        return false;
    struct raim_match *predecessor = raim_match_create(&match->def);
    if (predecessor == NULL)
        return false;
    fill(predecessor, state, rows);
    raim_match_transfer(match, predecessor, true);
    raim_match_destroy(predecessor);
    return true;
}
