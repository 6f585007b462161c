// SPDX-License-Identifier: MIT
// Chat of players and the operator, cleaned and rate-limited.
#include "match_internal.h"

#include "chat.h"
#include "name.h"
#include "tape.h"

#include <string.h>

// Rate limit: a burst of `burst` messages, then one per `pause_s` seconds (a leaky bucket).
static const uint32_t burst = 4;
static const uint32_t pause_s = 1;

static void refuse(struct raim_match *match, struct raim_connection *client,
                   enum raim_refusal refusal, enum raim_chat_refusal reported)
{
    match->totals.refused[refusal]++;
    client->chat_refusal = reported;
}

void raim_chat_receive(struct raim_match *match, struct raim_connection *client,
                       raim_reader *reader)
{
    char text[RAIM_MAX_CHAT_BYTES + 1], cleaned[RAIM_MAX_CHAT_BYTES + 1];
    if (client->watches) {
        refuse(match, client, RAIM_REFUSED_UNEXPECTED, RAIM_CHAT_WATCHING);
        return;
    }
    if (!raim_chat_read(reader, text)) {
        refuse(match, client, RAIM_REFUSED_MALFORMED, RAIM_CHAT_LENGTH);
        return;
    }
    struct raim_member *member = &match->members[raim_player_slot(client->player)];
    const uint32_t pause_ticks = pause_s * match->world->tick_hz;
    // The rate limit precedes the cleaning, which costs more.
    if (member->muted || raim_votes_is_muted(match, client->player))
        refuse(match, client, RAIM_REFUSED_MUTED, RAIM_CHAT_MUTED);
    else if (member->chat_debt_ticks > (burst - 1) * pause_ticks)
        refuse(match, client, RAIM_REFUSED_CHAT, RAIM_CHAT_RATE);
    else if (!raim_players_has_event_room(match))
        refuse(match, client, RAIM_REFUSED_CHAT, RAIM_CHAT_BUSY);
    else if (!raim_text_clean(text, cleaned, RAIM_MAX_CHAT_BYTES))
        refuse(match, client, RAIM_REFUSED_CHAT, RAIM_CHAT_TEXT);
    else {
        member->chat_debt_ticks += pause_ticks;
        struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick + 1);
        event->kind = RAIM_WIRE_CHAT;
        event->player = client->player;
        strcpy(event->text, cleaned);
        raim_tape_chat(match->tape, client->player, cleaned);
    }
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
    event->by_operator = true;
    strcpy(event->text, cleaned);
    raim_tape_chat(match->tape, RAIM_NOBODY, cleaned);
    return true;
}
