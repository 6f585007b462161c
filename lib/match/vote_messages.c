// SPDX-License-Identifier: MIT
// Votes and clients: receives their requests, sends them the count, and announces the vote in
// the chat for those who have no other display. They vote by the commands /vote, /yes and /no.
#include "votes_internal.h"

#include "match_internal.h"

#include "chat.h"
#include "text.h"

#include <string.h>

static const uint32_t tallies_per_s = 4; // to a client, at most
static const uint32_t rejections_per_s = 10;

void raim_vote_messages_reject(struct raim_match *match, struct raim_connection *client,
                               uint32_t rejection, uint32_t amount)
{
    match->totals.rejected[rejection == RAIM_VOTE_BAD        ? RAIM_REJECTED_MALFORMED
                           : rejection == RAIM_VOTE_WATCHING ? RAIM_REJECTED_UNEXPECTED
                                                             : RAIM_REJECTED_VOTE]++;
    client->vote.rejection = (uint8_t)rejection;
    client->vote.amount = (uint16_t)(amount < RAIM_VOTE_MAX_AMOUNT ? amount : RAIM_VOTE_MAX_AMOUNT);
}

void raim_vote_messages_receive(struct raim_match *match, struct raim_connection *client,
                                raim_reader *reader)
{
    const struct raim_match_vote *running = &match->votes.running;
    struct raim_vote_request request;
    uint32_t rejection = 0, amount = 0;
    if (!raim_vote_request_read(reader, &request))
        rejection = RAIM_VOTE_BAD;
    else if (request.action == RAIM_VOTE_CALL)
        rejection = raim_votes_call(match, client, &request.subject, &amount);
    else if (client->player == RAIM_NOBODY)
        rejection = RAIM_VOTE_WATCHING;
    else if (request.number != (running->number & 0xFF))
        rejection = RAIM_VOTE_NONE; // it has ended meanwhile
    else if (request.action == RAIM_VOTE_CAST)
        rejection = raim_votes_cast(match, client, request.choice);
    else
        rejection = raim_votes_withdraw(match, client);
    if (rejection != 0)
        raim_vote_messages_reject(match, client, rejection, amount);
}

// --- Reports ---

static size_t write_offer(const struct raim_match *match, struct raim_connection *client,
                          uint8_t *bytes, size_t capacity)
{
    struct raim_vote_offer offer = match->votes.offer;
    offer.kinds = raim_votes_offered(match);
    client->vote.offer_version = match->votes.offer_version;
    return raim_vote_offer_write(&offer, bytes, capacity);
}

static size_t write_rejection(struct raim_connection *client, uint8_t *bytes, size_t capacity)
{
    const struct raim_vote_report report = {
        .kind = RAIM_VOTE_REJECTED,
        .rejection = client->vote.rejection,
        .amount = client->vote.amount,
    };
    client->vote.rejection = 0;
    return raim_vote_report_write(&report, bytes, capacity);
}

static size_t write_began(const struct raim_match *match, struct raim_connection *client,
                          const struct raim_match_vote *vote, uint8_t *bytes, size_t capacity)
{
    struct raim_vote_report report = {
        .kind = RAIM_VOTE_BEGAN,
        .number = vote->number & 0xFF,
        .subject = vote->subject,
        .caller = vote->caller,
        .left_ms = vote->left_ms,
    };
    strcpy(report.caller_name, vote->caller_name);
    strcpy(report.target_name, vote->target_name);
    client->vote.number = vote->number;
    client->vote.runs = true;
    client->vote.tally_version = match->votes.tally_version - 1; // the tally follows
    return raim_vote_report_write(&report, bytes, capacity);
}

static size_t write_tally(const struct raim_match *match, struct raim_connection *client,
                          const struct raim_match_vote *vote, uint8_t *bytes, size_t capacity)
{
    const struct raim_vote_report report = {
        .kind = RAIM_VOTE_TALLY,
        .number = vote->number & 0xFF,
        .tally = vote->tally,
        .choice = raim_vote_count_choice(match, client->slot),
    };
    client->vote.tally_version = match->votes.tally_version;
    client->vote.choice = (uint8_t)report.choice;
    return raim_vote_report_write(&report, bytes, capacity);
}

// The end of the vote that the client was told of; 0 where another one has ended since.
static size_t write_ended(const struct raim_match *match, struct raim_connection *client,
                          uint8_t *bytes, size_t capacity)
{
    const struct raim_match_vote *ended = &match->votes.ended;
    client->vote.runs = false;
    if (ended->number != client->vote.number)
        return 0;
    const struct raim_vote_report report = {
        .kind = RAIM_VOTE_ENDED,
        .number = ended->number & 0xFF,
        .tally = ended->tally,
        .outcome = ended->outcome,
    };
    return raim_vote_report_write(&report, bytes, capacity);
}

size_t raim_vote_messages_write(const struct raim_match *match, struct raim_connection *client,
                                uint8_t *bytes, size_t capacity)
{
    const uint32_t tick = match->world->tick, hz = match->def.tick_hz;
    struct raim_match_vote vote;
    if (!client->wants_votes || client->player == RAIM_NOBODY)
        return 0;
    if (client->vote.offer_version != match->votes.offer_version)
        return write_offer(match, client, bytes, capacity);
    if (client->vote.rejection != 0 && tick % (hz / rejections_per_s) == 0)
        return write_rejection(client, bytes, capacity);
    const bool is_running = raim_match_running_vote(match, &vote);
    if (client->vote.runs && (!is_running || vote.number != client->vote.number)) {
        const size_t size = write_ended(match, client, bytes, capacity);
        if (size > 0)
            return size;
    }
    if (!is_running)
        return 0;
    if (!client->vote.runs)
        return write_began(match, client, &vote, bytes, capacity);
    const bool is_stale = client->vote.tally_version != match->votes.tally_version ||
                          client->vote.choice != raim_vote_count_choice(match, client->slot);
    return is_stale && tick % (hz / tallies_per_s) == 0
               ? write_tally(match, client, &vote, bytes, capacity)
               : 0;
}

// --- Chat ---

// What a vote is about, as after "wants to".
static char *describe(char *text, const struct raim_match_vote *vote)
{
    const struct raim_vote_subject *subject = &vote->subject;
    switch (subject->kind) {
    case RAIM_VOTE_MAP:
        return raim_text_append(raim_text_append(text, "play the map "), subject->map);
    case RAIM_VOTE_NEXTMAP:
        return raim_text_append(text, "play the next map");
    case RAIM_VOTE_RESTART:
        return raim_text_append(text, "restart the round");
    case RAIM_VOTE_EXTEND:
        text = raim_text_append_number(raim_text_append(text, "extend the round by "),
                                       subject->minutes);
        return raim_text_append(text, " min");
    case RAIM_VOTE_PAUSE:
        return raim_text_append(text, vote->resumes ? "end the pause" : "pause the match");
    default:
        text = raim_text_append(text, raim_vote_kind_name(subject->kind));
        return raim_text_append(raim_text_append(text, " "), vote->target_name);
    }
}

static char *append_reason(char *text, const char *reason)
{
    if (reason[0] == '\0')
        return text;
    return raim_text_append(raim_text_append(raim_text_append(text, " ("), reason), ")");
}

static_assert(sizeof("Vote /yes or /no: ") - 1 + RAIM_MAX_NAME_BYTES + sizeof(" wants to ") - 1 +
                      sizeof("spectate ") - 1 + RAIM_MAX_NAME_BYTES + 3 +
                      RAIM_MAX_VOTE_REASON_BYTES <=
                  RAIM_MAX_CHAT_BYTES,
              "the longest announcement fits");

void raim_vote_messages_describe(const struct raim_match_vote *vote, char *text)
{
    append_reason(describe(text, vote), vote->subject.reason);
}

void raim_vote_messages_announce(struct raim_match *match, const struct raim_match_vote *vote)
{
    char text[RAIM_MAX_CHAT_BYTES + 1];
    char *end = text;
    if (vote->outcome == 0) {
        end = raim_text_append(raim_text_append(end, "Vote /yes or /no: "), vote->caller_name);
        append_reason(describe(raim_text_append(end, " wants to "), vote), vote->subject.reason);
    } else {
        end =
            raim_text_append(raim_text_append(end, "Vote "), raim_vote_outcome_name(vote->outcome));
        describe(raim_text_append(end, vote->by_operator ? " by the operator: " : ": "), vote);
    }
    raim_match_say(match, text); // may fail: the event log may be full
}

void raim_vote_messages_tell_cancelled(struct raim_match *match, struct raim_connection *client)
{
    char text[sizeof "Vote cancelled by a restart: " + RAIM_MAX_CHAT_BYTES];
    if (match->votes.cancelled[0] == '\0')
        return;
    raim_text_append(raim_text_append(text, "Vote cancelled by a restart: "),
                     match->votes.cancelled);
    raim_match_notice(match, client, text);
}

// --- Commands ---

// Answers with a rejection in words, or by its reason where the client reads no NOTICE.
static void reject_in_words(struct raim_match *match, struct raim_connection *client,
                            uint32_t rejection, uint32_t amount)
{
    char text[RAIM_MAX_TEXT_BYTES + 1];
    char *end = raim_text_append(text, raim_vote_rejection_text(rejection));
    match->totals.rejected[RAIM_REJECTED_VOTE]++;
    if (!client->reads_notices) {
        client->chat_rejection = RAIM_CHAT_COMMAND;
        return;
    }
    if (amount > 0) {
        end = raim_text_append_number(raim_text_append(end, ": "), amount);
        raim_text_append(end, rejection == RAIM_VOTE_TOO_FEW ? " are needed" : " s");
    }
    raim_match_notice(match, client, text);
}

// Copies the first word of a text, cut to `capacity`, and returns what follows it.
static const char *take_word(const char *text, char *word, size_t capacity)
{
    const size_t length = strcspn(text, " ");
    const size_t kept = length < capacity ? length : capacity - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    return text + length + strspn(text + length, " ");
}

// A number of up to five digits; 0: the word is none.
static uint32_t number_of(const char *word)
{
    uint32_t number = 0;
    const size_t digits = strspn(word, "0123456789");
    if (digits == 0 || digits > 5 || word[digits] != '\0')
        return 0;
    for (; *word != '\0'; word++)
        number = number * 10 + (uint32_t)(*word - '0');
    return number;
}

static bool begins_with(const char *name, const char *word)
{
    return strncmp(name, word, strlen(word)) == 0;
}

// The player with a word as id, or the only one whose name begins with it; RAIM_NOBODY: none.
static uint32_t find_player(const struct raim_match *match, const char *word)
{
    const raim_player *players = raim_world_players_const(match->world);
    uint32_t found = RAIM_NOBODY, count = 0;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const struct raim_match_session *session = &match->sessions[slot];
        if (session->bot)
            continue;
        if (players[slot].id == number_of(word))
            return players[slot].id;
        if (!begins_with(session->name, word))
            continue;
        found = players[slot].id;
        count++;
    }
    return count == 1 && word[0] != '\0' ? found : RAIM_NOBODY;
}

// Copies a reason, cut at a character's boundary.
static void copy_reason(const char *words, char reason[RAIM_MAX_VOTE_REASON_BYTES + 1])
{
    size_t length = strlen(words);
    if (length > RAIM_MAX_VOTE_REASON_BYTES)
        length = RAIM_MAX_VOTE_REASON_BYTES;
    while (length > 0 && ((uint8_t)words[length] & 0xC0) == 0x80)
        length--;
    memcpy(reason, words, length);
    reason[length] = '\0';
}

// Reads "kick 12 spam". Returns false for words that are no vote.
static bool read_subject(const struct raim_match *match, const char *words,
                         struct raim_vote_subject *subject)
{
    char word[RAIM_MAX_TITLE_BYTES + 1];
    *subject = (struct raim_vote_subject){0};
    words = take_word(words, word, sizeof word);
    subject->kind = raim_vote_kind_find(word);
    if (raim_vote_has_player(subject->kind)) {
        words = take_word(words, word, sizeof word);
        subject->player = find_player(match, word);
    }
    if (subject->kind == RAIM_VOTE_MAP)
        words = take_word(words, subject->map, sizeof subject->map);
    if (subject->kind == RAIM_VOTE_EXTEND) {
        words = take_word(words, word, sizeof word);
        subject->minutes = number_of(word);
        if (subject->minutes < 1 || subject->minutes > RAIM_VOTE_MAX_MINUTES)
            return false;
    }
    copy_reason(words, subject->reason);
    return subject->kind != 0;
}

// Says what runs, or what may be voted for.
static void explain(struct raim_match *match, struct raim_connection *client)
{
    struct raim_match_vote vote;
    char text[2 * RAIM_MAX_TEXT_BYTES];
    if (raim_match_running_vote(match, &vote)) {
        char *end = raim_text_append(text, "/yes or /no: ");
        raim_vote_messages_describe(&vote, end);
    } else {
        char *end = raim_text_append(text, "/vote kick NAME REASON, /vote map NAME, /vote extend "
                                           "MINUTES; kinds:");
        for (uint32_t kind = 1; kind < RAIM_VOTE_KINDS; kind++)
            if ((raim_votes_offered(match) & RAIM_VOTE_BIT(kind)) != 0)
                end = raim_text_append(raim_text_append(end, " "), raim_vote_kind_name(kind));
    }
    raim_match_notice(match, client, text);
}

void raim_vote_messages_command(struct raim_match *match, struct raim_connection *client,
                                const char *words)
{
    struct raim_vote_subject subject;
    uint32_t amount = 0;
    if (words[0] == '\0' || !read_subject(match, words, &subject)) {
        explain(match, client);
        return;
    }
    const uint32_t rejection = raim_votes_call(match, client, &subject, &amount);
    if (rejection != 0)
        reject_in_words(match, client, rejection, amount);
}

static void cast(struct raim_match *match, struct raim_connection *client, uint32_t choice)
{
    const uint32_t rejection = raim_votes_cast(match, client, choice);
    if (rejection != 0)
        reject_in_words(match, client, rejection, 0);
}

void raim_vote_messages_command_yes(struct raim_match *match, struct raim_connection *client,
                                    const char *words)
{
    (void)words;
    cast(match, client, RAIM_VOTE_YES);
}

void raim_vote_messages_command_no(struct raim_match *match, struct raim_connection *client,
                                   const char *words)
{
    (void)words;
    cast(match, client, RAIM_VOTE_NO);
}
