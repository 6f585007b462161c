// SPDX-License-Identifier: MIT
// Lines between a player and the server alone: a queue of answers for each client, and the lines of
// admins that wait for the server's operator side.
#include "notices.h"

#include "match_internal.h"

#include "name.h"

#include <string.h>

// At most one line per tick leaves for a client: help is some lines long.
size_t raim_notices_write(struct raim_match *match, struct raim_connection *client, uint8_t *bytes,
                          size_t capacity)
{
    if (client->notices == 0 || client->notice_tick == match->world->tick)
        return 0;
    struct raim_notice_queue *queue = &match->notices[client - match->connections];
    const struct raim_notice *notice = &queue->lines[queue->first];
    queue->first = (queue->first + 1) % RAIM_NOTICES;
    client->notices--;
    client->notice_tick = match->world->tick;
    return raim_notice_write(notice, bytes, capacity);
}

static bool add(struct raim_match *match, struct raim_connection *client, bool challenge,
                const char *text)
{
    if (!client->reads_notices || client->notices == RAIM_NOTICES)
        return false;
    struct raim_notice_queue *queue = &match->notices[client - match->connections];
    struct raim_notice *notice = &queue->lines[(queue->first + client->notices) % RAIM_NOTICES];
    if (!raim_text_clean(text, notice->text, RAIM_MAX_NOTICE_BYTES))
        return false;
    notice->challenge = challenge;
    client->notices++;
    return true;
}

void raim_match_notice(struct raim_match *match, struct raim_connection *client, const char *text)
{
    add(match, client, false, text);
}

void raim_notices_carry(struct raim_match *next, const struct raim_match *before, uint32_t handle)
{
    if (before->connections[handle].notices > 0)
        next->notices[handle] = before->notices[handle];
}

// The connection of a player, unless it has resumed its session since `epoch`.
static struct raim_connection *find(struct raim_match *match, raim_player_id player, uint32_t epoch)
{
    const uint32_t slot = raim_player_slot(player);
    if (player == RAIM_NOBODY || slot >= match->world->max_players ||
        raim_world_players_const(match->world)[slot].id != player || match->sessions[slot].bot ||
        raim_world_players_const(match->world)[slot].away)
        return NULL;
    struct raim_connection *client = &match->connections[match->sessions[slot].client];
    return client->since_tick == epoch ? client : NULL;
}

bool raim_match_send_notice(struct raim_match *match, raim_player_id player, uint32_t epoch,
                            const char *text)
{
    struct raim_connection *client = find(match, player, epoch);
    return client != NULL && add(match, client, false, text);
}

bool raim_match_send_challenge(struct raim_match *match, raim_player_id player, uint32_t epoch,
                               const char *text)
{
    struct raim_connection *client = find(match, player, epoch);
    return client != NULL && add(match, client, true, text);
}

bool raim_match_set_admin(struct raim_match *match, raim_player_id player, uint32_t epoch,
                          uint8_t level, const char *name)
{
    if (find(match, player, epoch) == NULL)
        return false;
    struct raim_match_session *session = &match->sessions[raim_player_slot(player)];
    session->admin_level = level;
    session->admin[0] = '\0';
    strncat(session->admin, name, RAIM_MAX_NAME_BYTES);
    return true;
}

bool raim_notices_add_line(struct raim_match *match, const struct raim_connection *client,
                           const char *text)
{
    struct raim_match_lines *lines = &match->lines;
    const struct raim_match_session *session = &match->sessions[client->slot];
    if (lines->count >= (session->admin_level > 0 ? RAIM_MATCH_LINES : RAIM_MATCH_LINES / 2))
        return false;
    struct raim_match_line *line =
        &lines->waiting[(lines->first + lines->count++) % RAIM_MATCH_LINES];
    *line = (struct raim_match_line){.client = (uint32_t)(client - match->connections),
                                     .player = client->player,
                                     .epoch = client->since_tick,
                                     .level = session->admin_level};
    memcpy(line->admin, session->admin, sizeof line->admin);
    memcpy(line->name, session->name, sizeof line->name);
    strncat(line->text, text, RAIM_MAX_NOTICE_BYTES);
    return true;
}

bool raim_match_next_line(struct raim_match *match, struct raim_match_line *line)
{
    struct raim_match_lines *lines = &match->lines;
    if (lines->count == 0)
        return false;
    *line = lines->waiting[lines->first];
    // It may contain a password.
    lines->waiting[lines->first] = (struct raim_match_line){0};
    lines->first = (lines->first + 1) % RAIM_MATCH_LINES;
    lines->count--;
    return true;
}
