// SPDX-License-Identifier: MIT
// Sessions: tokens, resuming after a lost connection, idle players and eviction.
#include "sessions.h"

#include "match_internal.h"

#include "recording_input.h"

#include <assert.h>
#include <string.h>

// Compares in constant time, so that timing reveals nothing of the token.
static bool is_same(const uint8_t *left, const uint8_t *right)
{
    uint8_t difference = 0;
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        difference |= left[i] ^ right[i];
    return difference == 0;
}

raim_player_id raim_sessions_find(const struct raim_match *match,
                                  const uint8_t token[RAIM_TOKEN_BYTES])
{
    const raim_player *players = raim_world_players_const(match->world);
    raim_player_id found = RAIM_NOBODY;
    for (uint32_t slot = 0; slot < match->world->max_players; slot++) {
        const struct raim_match_session *session = &match->sessions[slot];
        if (players[slot].id != RAIM_NOBODY && !session->bot && is_same(session->token, token))
            found = players[slot].id;
    }
    return found;
}

bool raim_sessions_may_end(const struct raim_match *match, const struct raim_connection *client,
                           const uint8_t token[RAIM_TOKEN_BYTES])
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    // A client that has acknowledged a snapshot has read its WELCOME.
    const bool has_welcome = client->player != RAIM_NOBODY && client->rewind_limit.is_acked;
    const uint8_t *own = client->player != RAIM_NOBODY
                             ? match->sessions[raim_player_slot(client->player)].token
                             : none;
    return is_same(own, token) || (!has_welcome && is_same(none, token));
}

void raim_sessions_set_away(struct raim_match *match, struct raim_connection *client)
{
    const uint32_t slot = raim_player_slot(client->player);
    if (match->policy.grace_ticks == 0)
        return;
    match->sessions[slot].away_since = match->world->tick;
    raim_world_set_away(match->world, client->player, true);
    raim_recording_input_set_away(match->records, client->player, true);
    client->player = RAIM_NOBODY;
}

void raim_sessions_resume(struct raim_match *match, struct raim_connection *client,
                          raim_player_id id)
{
    const uint32_t slot = raim_player_slot(id);
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    struct raim_match_session *session = &match->sessions[slot];
    const struct raim_match_guard *guard = match->def.guard;
    if (player->away && guard != NULL && guard->resumed != NULL)
        guard->resumed(guard->context, session->away_since);
    if (!player->away) {
        struct raim_connection *before = &match->connections[session->client];
        assert(before->player == id);
        before->player = RAIM_NOBODY;
        before->state = RAIM_CONNECTION_REJECTED;
        before->reason = RAIM_REASON_RESUMED;
    }
    if (player->away && session->away_since == match->began_tick)
        raim_vote_messages_tell_cancelled(match, client);
    raim_world_set_away(match->world, id, false);
    raim_recording_input_set_away(match->records, id, false);
    session->admin_level = 0; // the session's token alone makes nobody an admin
    session->admin[0] = '\0';
    session->client = (uint32_t)(client - match->connections);
    session->origin = client->origin;
    client->player = id;
    client->slot = slot;
    client->inbox.held.aim = player->aim;
}

void raim_sessions_track_idle(const struct raim_match *match, struct raim_match_session *session,
                              const raim_input *input)
{
    const raim_input *before = &session->last_input;
    const bool is_new = input->move_x != before->move_x || input->move_y != before->move_y ||
                        input->fire != before->fire || input->aim != before->aim;
    session->last_input = *input;
    if (is_new)
        session->idle_ticks = 0;
    else
        session->idle_ticks += !raim_rounds_is_frozen(&match->rounds);
}

// The player away whose time away exceeds its time played by most; RAIM_NOBODY: none.
static raim_player_id find_most_overdue_away(const struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    raim_player_id found = RAIM_NOBODY;
    int32_t most = 0; // ticks
    for (uint32_t slot = 0; slot < match->world->max_players; slot++) {
        const struct raim_match_session *session = &match->sessions[slot];
        const int32_t away = raim_tick_diff(match->world->tick, session->away_since);
        const int32_t played = raim_tick_diff(session->away_since, session->joined_tick);
        if (players[slot].away && away - played > most) {
            most = away - played;
            found = players[slot].id;
        }
    }
    return found;
}

// The connected player who has been idle longest; RAIM_NOBODY: none.
static raim_player_id find_idle(const struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    raim_player_id found = RAIM_NOBODY;
    uint32_t most = match->policy.idle_ticks;
    for (uint32_t slot = 0; slot < match->world->max_players && match->policy.idle_ticks > 0;
         slot++) {
        const struct raim_match_session *session = &match->sessions[slot];
        if (players[slot].id == RAIM_NOBODY || players[slot].away || session->bot ||
            session->idle_ticks < most || (found != RAIM_NOBODY && session->idle_ticks == most))
            continue;
        most = session->idle_ticks;
        found = players[slot].id;
    }
    return found;
}

raim_player_id raim_sessions_find_evictable(const struct raim_match *match)
{
    const raim_player_id away = find_most_overdue_away(match);
    return away != RAIM_NOBODY ? away : find_idle(match);
}

bool raim_sessions_evict(struct raim_match *match)
{
    const raim_player_id found = raim_sessions_find_evictable(match);
    if (found == RAIM_NOBODY)
        return false;
    const uint32_t slot = raim_player_slot(found);
    if (raim_world_players_const(match->world)[slot].away) {
        raim_players_leave(match, found, RAIM_REASON_LOST);
        return true;
    }
    struct raim_connection *client = &match->connections[match->sessions[slot].client];
    raim_connections_leave(match, client, RAIM_REASON_IDLE);
    client->state = RAIM_CONNECTION_REJECTED;
    client->reason = RAIM_REASON_IDLE;
    return true;
}

void raim_sessions_expire(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const int32_t away = raim_tick_diff(match->world->tick, match->sessions[slot].away_since);
        if (players[slot].away && away >= (int32_t)match->policy.grace_ticks)
            raim_players_leave(match, players[slot].id, RAIM_REASON_LOST);
    }
}

void raim_sessions_end(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1))
        if (players[slot].away)
            raim_players_leave(match, players[slot].id, RAIM_REASON_SHUTDOWN);
}
