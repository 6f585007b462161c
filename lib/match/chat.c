// SPDX-License-Identifier: MIT
// Chat of players and the operator, cleaned and rate-limited.
#include "match_internal.h"

#include "chat.h"
#include "digest.h"
#include "name.h"
#include "recording_input.h"

#include <string.h>

// Rate limit: a burst of `burst` messages, then one per `pause_s` seconds (a leaky bucket).
static const uint32_t burst = 4;
static const uint32_t pause_s = 1;
static const uint32_t repeat_s = 10; // for which the last text of a player is not accepted again

static void reject(struct raim_match *match, struct raim_connection *client,
                   enum raim_rejection rejection, enum raim_chat_rejection reported)
{
    match->totals.rejected[rejection]++;
    client->chat_rejection = reported;
}

// Whether a text is the one that the player sent last. Two texts of one digest are taken for one.
static bool is_repeat(const struct raim_match *match, const struct raim_match_session *session,
                      const char *text)
{
    const int32_t age = raim_tick_diff(match->world->tick, session->chat_tick);
    return session->chat_digest == raim_digest(text, strlen(text)) && age >= 0 &&
           (uint32_t)age < repeat_s * match->world->tick_hz;
}

void raim_chat_receive(struct raim_match *match, struct raim_connection *client,
                       raim_reader *reader)
{
    char text[RAIM_MAX_CHAT_BYTES + 1], cleaned[RAIM_MAX_CHAT_BYTES + 1];
    if (client->watches) {
        reject(match, client, RAIM_REJECTED_UNEXPECTED, RAIM_CHAT_WATCHING);
        return;
    }
    if (!raim_chat_read(reader, text)) {
        reject(match, client, RAIM_REJECTED_MALFORMED, RAIM_CHAT_LENGTH);
        return;
    }
    if (text[0] == '/') {
        raim_chat_command(match, client, text);
        return;
    }
    struct raim_match_session *session = &match->sessions[raim_player_slot(client->player)];
    const uint32_t pause_ticks = pause_s * match->world->tick_hz;
    // The rate limit precedes the cleaning, which costs more.
    if (session->muted || raim_votes_is_muted(match, client->player))
        reject(match, client, RAIM_REJECTED_MUTED, RAIM_CHAT_MUTED);
    else if (session->chat_debt_ticks > (burst - 1) * pause_ticks)
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_RATE);
    else if (!raim_players_has_event_room(match))
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_BUSY);
    else if (!raim_text_clean(text, cleaned, RAIM_MAX_CHAT_BYTES))
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_TEXT);
    else if (cleaned[0] == '/') // behind what cannot be seen
        raim_chat_command(match, client, cleaned);
    else if (is_repeat(match, session, cleaned))
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_REPEAT);
    else {
        session->chat_debt_ticks += pause_ticks;
        session->chat_digest = raim_digest(cleaned, strlen(cleaned));
        session->chat_tick = match->world->tick;
        struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick + 1);
        event->kind = RAIM_WIRE_CHAT;
        event->player = client->player;
        strcpy(event->text, cleaned);
        raim_recording_input_chat(match->records, client->player, cleaned);
    }
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
    raim_recording_input_chat(match->records, RAIM_NOBODY, cleaned);
    return true;
}
