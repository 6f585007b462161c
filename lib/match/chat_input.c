// SPDX-License-Identifier: MIT
// What players type: chat, cleaned and rate-limited, and commands, "/help" in the chat or the words
// in a NOTICE. Commands are never forwarded to anybody; the answers are lines for their sender
// alone.
#include "chat_input.h"

#include "match_internal.h"

#include "chat.h"
#include "digest.h"
#include "name.h"
#include "recording_input.h"
#include "text.h"
#include "utf8.h"

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
    struct raim_chat chat;
    char cleaned[RAIM_MAX_CHAT_BYTES + 1];
    if (client->watches) {
        reject(match, client, RAIM_REJECTED_UNEXPECTED, RAIM_CHAT_WATCHING);
        return;
    }
    if (!raim_chat_read(reader, &chat)) {
        reject(match, client, RAIM_REJECTED_MALFORMED, RAIM_CHAT_LENGTH);
        return;
    }
    if (chat.text[0] == '/') {
        raim_chat_command(match, client, chat.text);
        return;
    }
    struct raim_match_session *session = &match->sessions[raim_player_slot(client->player)];
    const uint32_t pause_ticks = pause_s * match->world->tick_hz;
    // The rate limit precedes the cleaning, which costs more.
    if (session->muted || raim_vote_penalties_mute(match, client->player))
        reject(match, client, RAIM_REJECTED_MUTED, RAIM_CHAT_MUTED);
    else if (session->chat_debt_ticks > (burst - 1) * pause_ticks)
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_RATE);
    else if (!raim_players_has_event_room(match))
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_BUSY);
    else if (!raim_text_clean(chat.text, cleaned, RAIM_MAX_CHAT_BYTES))
        reject(match, client, RAIM_REJECTED_CHAT, RAIM_CHAT_TEXT);
    else if (cleaned[0] == '/') // after invisible characters
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

// Rate limit: a leaky bucket as that of chat, but with a larger burst, for an admin in a hurry.
static const uint32_t command_burst = 8;
static const uint32_t pauses_per_s = 2;

struct chat_command {
    const char *name;
    const char *help;
    // `words` is what follows the name, without leading blanks.
    void (*execute)(struct raim_match *match, struct raim_connection *client, const char *words);
};

static void execute_help(struct raim_match *match, struct raim_connection *client,
                         const char *words);
static void execute_admin(struct raim_match *match, struct raim_connection *client,
                          const char *words);

static const struct chat_command commands[] = {
    {"help", "lists what you may type", execute_help},
    {"admin", "for the admins of this server: /admin help", execute_admin},
    {"vote", "calls a vote: /vote kick NAME REASON; alone it says what may be voted for",
     raim_vote_messages_command},
    {"yes", "votes yes", raim_vote_messages_command_yes},
    {"no", "votes no", raim_vote_messages_command_no},
};

static void execute_help(struct raim_match *match, struct raim_connection *client,
                         const char *words)
{
    (void)words;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[RAIM_MAX_NOTICE_BYTES + 1];
        char *end = raim_text_append(line, "/");
        end = raim_text_append(raim_text_append(end, commands[i].name), ": ");
        raim_text_append(end, commands[i].help);
        raim_match_notice(match, client, line);
    }
}

static void execute_admin(struct raim_match *match, struct raim_connection *client,
                          const char *words)
{
    if (raim_notices_add_line(match, client, words))
        return;
    match->totals.rejected[RAIM_REJECTED_COMMAND]++;
    raim_match_notice(match, client, "the server has too many commands to execute: try again");
}

// Rejects a command in words, or by a reason where the client reads no NOTICE.
static void reject_command(struct raim_match *match, struct raim_connection *client,
                           const char *why)
{
    match->totals.rejected[RAIM_REJECTED_COMMAND]++;
    if (client->reads_notices)
        raim_match_notice(match, client, why);
    else
        client->chat_rejection = RAIM_CHAT_COMMAND;
}

static void dispatch(struct raim_match *match, struct raim_connection *client, const char *line)
{
    const size_t length = strcspn(line, " ");
    const char *words = line + length + strspn(line + length, " ");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strlen(commands[i].name) == length && memcmp(line, commands[i].name, length) == 0) {
            commands[i].execute(match, client, words);
            return;
        }
    char why[RAIM_MAX_NOTICE_BYTES + 1] = "there is no command /";
    enum { SHOWN = 24 }; // bytes of the name that are repeated; a character cut in two is stripped
    strncat(why, line, length < SHOWN ? length : SHOWN);
    raim_utf8_strip(why);
    strcat(why, "; /help lists them");
    reject_command(match, client, why);
}

void raim_chat_command(struct raim_match *match, struct raim_connection *client, const char *line)
{
    char cleaned[RAIM_MAX_NOTICE_BYTES + 1];
    const uint32_t pause_ticks = match->world->tick_hz / pauses_per_s;
    if (client->player == RAIM_NOBODY) { // a spectator
        match->totals.rejected[RAIM_REJECTED_UNEXPECTED]++;
        client->chat_rejection = RAIM_CHAT_WATCHING;
        return;
    }
    struct raim_match_session *session = &match->sessions[client->slot];
    // The rate limit precedes the cleaning, which costs more.
    if (session->command_debt_ticks > (command_burst - 1) * pause_ticks) {
        reject_command(match, client, "too many commands: wait a second");
        return;
    }
    session->command_debt_ticks += pause_ticks;
    const char *words = raim_text_clean(line, cleaned, RAIM_MAX_NOTICE_BYTES) ? cleaned : "";
    dispatch(match, client, words + (words[0] == '/'));
}

void raim_notices_receive(struct raim_match *match, struct raim_connection *client,
                          raim_reader *reader)
{
    struct raim_notice notice;
    if (!raim_notice_read(reader, &notice) || notice.challenge)
        match->totals.rejected[RAIM_REJECTED_MALFORMED]++;
    else
        raim_chat_command(match, client, notice.text);
}
