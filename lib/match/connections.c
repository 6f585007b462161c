// SPDX-License-Identifier: MIT
// Rejects and ends connections; kicks, bans, mutes and draining.
#include "connections.h"

#include "match_internal.h"

#include "name.h"

#include <assert.h>

void raim_connections_add(struct raim_match *match, uint32_t client)
{
    if (raim_set_has(match->connected, client))
        return;
    raim_set_add(match->connected, client);
    match->connected_count++;
}

void raim_connections_remove(struct raim_match *match, uint32_t client)
{
    match->connected_count -= raim_set_has(match->connected, client);
    raim_set_remove(match->connected, client);
}

void raim_connections_reject(struct raim_match *match, struct raim_connection *client,
                             enum raim_rejection rejection, enum raim_reason reason)
{
    match->totals.rejected[rejection]++;
    client->state = RAIM_CONNECTION_REJECTED;
    client->reason = reason;
}

void raim_connections_leave(struct raim_match *match, struct raim_connection *client,
                            enum raim_reason reason)
{
    if (raim_is_spectator(client))
        raim_spectators_leave(match, client);
    if (client->player != RAIM_NOBODY)
        raim_players_leave(match, client->player, reason);
    client->player = RAIM_NOBODY;
}

void raim_match_reject(struct raim_match *match, uint32_t handle, uint32_t reason)
{
    assert(handle < match->def.max_connections && reason < RAIM_REASONS);
    struct raim_connection *client = &match->connections[handle];
    if (client->state == RAIM_CONNECTION_WAITING)
        raim_connections_reject(match, client, RAIM_REJECTED_UNEXPECTED, (enum raim_reason)reason);
}

// Ends a connection on the operator's command.
static void end(struct raim_match *match, struct raim_connection *client, enum raim_reason reason,
                const char *why)
{
    raim_connections_leave(match, client, reason);
    client->state = RAIM_CONNECTION_REJECTED;
    client->reason = reason;
    if (!raim_text_clean(why, client->why, RAIM_MAX_TEXT_BYTES))
        client->why[0] = '\0';
}

// The session of a client's player; NULL for a bot or an unknown id.
static struct raim_match_session *find_member(struct raim_match *match, raim_player_id id)
{
    const uint32_t slot = raim_player_slot(id);
    if (id == RAIM_NOBODY || slot >= match->world->max_players ||
        raim_world_players_const(match->world)[slot].id != id || match->sessions[slot].bot)
        return NULL;
    return &match->sessions[slot];
}

bool raim_match_kick(struct raim_match *match, raim_player_id id, const char *why)
{
    const struct raim_match_session *session = find_member(match, id);
    if (session == NULL)
        return false;
    if (raim_world_players_const(match->world)[raim_player_slot(id)].away)
        raim_players_leave(match, id, RAIM_REASON_KICKED);
    else
        end(match, &match->connections[session->client], RAIM_REASON_KICKED, why);
    return true;
}

void raim_match_ban(struct raim_match *match, uint32_t handle, const char *why)
{
    assert(handle < match->def.max_connections);
    struct raim_connection *client = &match->connections[handle];
    if (client->state == RAIM_CONNECTION_ABSENT || client->state >= RAIM_CONNECTION_REJECTED)
        return; // it is ending already
    end(match, client, RAIM_REASON_BANNED, why);
    match->totals.rejected[RAIM_REJECTED_BANNED]++;
}

bool raim_match_mute(struct raim_match *match, raim_player_id id, bool muted)
{
    struct raim_match_session *session = find_member(match, id);
    if (session == NULL)
        return false;
    session->muted = muted;
    return true;
}

void raim_match_drain(struct raim_match *match, bool draining)
{
    match->policy.draining = draining;
}
