// SPDX-License-Identifier: MIT
// Who may come back: players whose connection was lost, and the tokens that give them back.
#include "match_internal.h"

#include <assert.h>
#include <string.h>

// Takes as long for a token that is nearly right as for any other.
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
    for (uint32_t place = 0; place < match->world->max_players; place++) {
        const struct raim_member *member = &match->members[place];
        if (players[place].id != RAIM_NOBODY && !member->bot && is_same(member->token, token))
            found = players[place].id;
    }
    return found;
}

bool raim_sessions_may_end(const struct raim_match *match, const struct raim_connection *client,
                           const uint8_t token[RAIM_TOKEN_BYTES])
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    // Whoever has acknowledged a snapshot has read its WELCOME.
    const bool knows = client->player != RAIM_NOBODY && client->rewind_limit.is_acked;
    const uint8_t *own = client->player != RAIM_NOBODY
                             ? match->members[raim_player_place(client->player)].token
                             : none;
    return is_same(own, token) || (!knows && is_same(none, token));
}

void raim_sessions_keep(struct raim_match *match, struct raim_connection *client)
{
    const uint32_t place = raim_player_place(client->player);
    if (match->policy.grace_ticks == 0)
        return;
    match->members[place].away_since = match->world->tick;
    raim_world_set_away(match->world, client->player, true);
    client->player = RAIM_NOBODY;
}

void raim_sessions_resume(struct raim_match *match, struct raim_connection *client,
                          raim_player_id id)
{
    const uint32_t place = raim_player_place(id);
    const raim_player *player = &raim_world_players_const(match->world)[place];
    struct raim_member *member = &match->members[place];
    if (!player->away) {
        struct raim_connection *before = &match->clients[member->client];
        assert(before->player == id);
        before->player = RAIM_NOBODY;
        before->state = RAIM_CONNECTION_REFUSED;
        before->reason = RAIM_REASON_RESUMED;
    }
    raim_world_set_away(match->world, id, false);
    member->client = (uint32_t)(client - match->clients);
    client->player = id;
    client->place = place;
    client->inbox.held.aim = player->aim;
}

void raim_sessions_notice(const struct raim_match *match, struct raim_member *member,
                          const raim_input *pressed)
{
    const raim_input *before = &member->pressed;
    const bool is_new = pressed->move_x != before->move_x || pressed->move_y != before->move_y ||
                        pressed->fire != before->fire || pressed->aim != before->aim;
    member->pressed = *pressed;
    if (is_new)
        member->idle_ticks = 0;
    else
        member->idle_ticks += !raim_rounds_is_frozen(match);
}

// Of those whose connection is lost, the one that has been away the longest beyond what it played.
static raim_player_id find_away(const struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    raim_player_id found = RAIM_NOBODY;
    int32_t most = 0; // ticks
    for (uint32_t place = 0; place < match->world->max_players; place++) {
        const struct raim_member *member = &match->members[place];
        const int32_t away = raim_tick_diff(match->world->tick, member->away_since);
        const int32_t played = raim_tick_diff(member->away_since, member->joined_tick);
        if (players[place].away && away - played > most) {
            most = away - played;
            found = players[place].id;
        }
    }
    return found;
}

// Of those who are there, the one that has been idle the longest.
static raim_player_id find_idle(const struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    raim_player_id found = RAIM_NOBODY;
    uint32_t most = match->policy.idle_ticks;
    for (uint32_t place = 0; place < match->world->max_players && match->policy.idle_ticks > 0;
         place++) {
        const struct raim_member *member = &match->members[place];
        if (players[place].id == RAIM_NOBODY || players[place].away || member->bot ||
            member->idle_ticks < most || (found != RAIM_NOBODY && member->idle_ticks == most))
            continue;
        most = member->idle_ticks;
        found = players[place].id;
    }
    return found;
}

raim_player_id raim_sessions_find_spare(const struct raim_match *match)
{
    const raim_player_id away = find_away(match);
    return away != RAIM_NOBODY ? away : find_idle(match);
}

bool raim_sessions_make_room(struct raim_match *match)
{
    const raim_player_id found = raim_sessions_find_spare(match);
    if (found == RAIM_NOBODY)
        return false;
    const uint32_t place = raim_player_place(found);
    if (raim_world_players_const(match->world)[place].away) {
        raim_players_leave(match, found, RAIM_REASON_LOST);
        return true;
    }
    struct raim_connection *client = &match->clients[match->members[place].client];
    raim_connections_leave(match, client, RAIM_REASON_IDLE);
    client->state = RAIM_CONNECTION_REFUSED;
    client->reason = RAIM_REASON_IDLE;
    return true;
}

void raim_sessions_expire(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t place = 0; place < match->world->max_players; place++) {
        const int32_t away = raim_tick_diff(match->world->tick, match->members[place].away_since);
        if (players[place].away && away >= (int32_t)match->policy.grace_ticks)
            raim_players_leave(match, players[place].id, RAIM_REASON_LOST);
    }
}

void raim_sessions_end(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t place = 0; place < match->world->max_players; place++)
        if (players[place].away)
            raim_players_leave(match, players[place].id, RAIM_REASON_SHUTDOWN);
}
