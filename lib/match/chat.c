// SPDX-License-Identifier: MIT
// Chat of players and the operator, cleaned and rate-limited.
#include "match_internal.h"

#include "chat.h"
#include "name.h"

#include <assert.h>
#include <string.h>

// Rate limit: a burst of `burst` messages, then one per `pause_s` seconds (a leaky bucket).
static const uint32_t burst = 4;
static const uint32_t pause_s = 1;

void raim_chat_receive(struct raim_match *match, const struct raim_connection *client,
                       raim_reader *reader)
{
    char text[RAIM_MAX_CHAT_BYTES + 1], cleaned[RAIM_MAX_CHAT_BYTES + 1];
    assert(client->player != RAIM_NOBODY);
    if (!raim_chat_read(reader, text)) {
        match->totals.refused[RAIM_REFUSED_MALFORMED]++;
        return;
    }
    struct raim_member *member = &match->members[raim_player_slot(client->player)];
    if (member->muted) {
        match->totals.refused[RAIM_REFUSED_MUTED]++;
        return;
    }
    const uint32_t pause_ticks = pause_s * match->world->tick_hz;
    // The rate limit precedes the cleaning, which costs more.
    if (member->chat_debt_ticks > (burst - 1) * pause_ticks ||
        !raim_players_has_event_room(match) ||
        !raim_text_clean(text, cleaned, RAIM_MAX_CHAT_BYTES)) {
        match->totals.refused[RAIM_REFUSED_CHAT]++;
        return;
    }
    member->chat_debt_ticks += pause_ticks;
    struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick + 1);
    event->kind = RAIM_WIRE_CHAT;
    event->player = client->player;
    strcpy(event->text, cleaned);
}

bool raim_match_clean(const char *text, char cleaned[RAIM_MAX_TEXT_BYTES + 1])
{
    return raim_text_clean(text, cleaned, RAIM_MAX_TEXT_BYTES);
}

bool raim_match_say(struct raim_match *match, const char *text)
{
    char cleaned[RAIM_MAX_CHAT_BYTES + 1];
    if (!raim_text_clean(text, cleaned, RAIM_MAX_CHAT_BYTES) || !raim_players_has_event_room(match))
        return false;
    struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick + 1);
    event->kind = RAIM_WIRE_CHAT;
    event->player = RAIM_NOBODY;
    strcpy(event->text, cleaned);
    return true;
}
