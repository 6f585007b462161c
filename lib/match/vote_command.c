// SPDX-License-Identifier: MIT
// The commands /vote, /yes and /no: votes for clients without a display of votes.
#include "match_internal.h"

#include "chat.h"
#include "text.h"

#include <string.h>

// Answers with a rejection in words, or by its reason where the client reads no NOTICE.
static void reject(struct raim_match *match, struct raim_connection *client, uint32_t rejection,
                   uint32_t amount)
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

// The player whom a word names: by id, or as the only one whose name begins so; RAIM_NOBODY: none.
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
        raim_votes_describe(&vote, end);
    } else {
        char *end = raim_text_append(text, "/vote kick NAME REASON, /vote map NAME, /vote extend "
                                           "MINUTES; kinds:");
        for (uint32_t kind = 1; kind < RAIM_VOTE_KINDS; kind++)
            if ((raim_votes_offered(match) & RAIM_VOTE_BIT(kind)) != 0)
                end = raim_text_append(raim_text_append(end, " "), raim_vote_kind_name(kind));
    }
    raim_match_notice(match, client, text);
}

void raim_votes_command(struct raim_match *match, struct raim_connection *client, const char *words)
{
    struct raim_vote_subject subject;
    uint32_t amount = 0;
    if (words[0] == '\0' || !read_subject(match, words, &subject)) {
        explain(match, client);
        return;
    }
    const uint32_t rejection = raim_votes_call(match, client, &subject, &amount);
    if (rejection != 0)
        reject(match, client, rejection, amount);
}

static void cast(struct raim_match *match, struct raim_connection *client, uint32_t choice)
{
    const uint32_t rejection = raim_votes_cast(match, client, choice);
    if (rejection != 0)
        reject(match, client, rejection, 0);
}

void raim_votes_command_yes(struct raim_match *match, struct raim_connection *client,
                            const char *words)
{
    (void)words;
    cast(match, client, RAIM_VOTE_YES);
}

void raim_votes_command_no(struct raim_match *match, struct raim_connection *client,
                           const char *words)
{
    (void)words;
    cast(match, client, RAIM_VOTE_NO);
}
