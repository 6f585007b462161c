// SPDX-License-Identifier: MIT
// The table of the keys of votes, and the parsers of their text values. The defaults but that of
// call_delay are those of DDNet (sv_vote_time, sv_vote_yes_percentage, sv_vote_majority,
// sv_vote_delay, sv_join_vote_delay, sv_vote_kick_min, sv_vote_kick_bantime,
// sv_vote_spectate_rejoindelay).
#include "config_vote_keys.h"

#include "votes.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

// Offset and size of the field that holds a key's value.
#define IN_VOTES(member)                                                                           \
    .offset = offsetof(struct raim_vote_tuning, member),                                           \
    .size = sizeof(((struct raim_vote_tuning *)0)->member)

static bool parse_kinds(const char *text, void *field);
static bool parse_silent(const char *text, void *field);

static const struct reader_key VOTE_KEYS[] = {
    {.name = "kinds",
     .kind = READER_TEXT,
     IN_VOTES(kinds),
     .text = "kick mute map nextmap restart extend spectate pause",
     .parse = parse_kinds,
     .expected = "words of kick, mute, map, nextmap, restart, extend, spectate and pause with a "
                 "space between them",
     .applies = READER_AT_ONCE,
     .meaning = "what players may vote about; \"\" for nothing"},
    {.name = "time",
     .kind = READER_NUMBER,
     IN_VOTES(time_s),
     .value = 25,
     .min = 5,
     .max = 300,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning = "time for which a vote runs unless its outcome is certain before"},
    {.name = "yes_percent",
     .kind = READER_INTEGER,
     IN_VOTES(yes_percent),
     .value = 50,
     .min = 1,
     .max = 99,
     .unit = "percent",
     .applies = READER_AT_ONCE,
     .meaning = "share of the votes that must be exceeded by those in favour"},
    {.name = "silent",
     .kind = READER_TEXT,
     IN_VOTES(silent_is_no),
     .text = "ignored",
     .parse = parse_silent,
     .expected = "\"ignored\" or \"no\"",
     .applies = READER_AT_ONCE,
     .meaning = "how players count who have not voted when the time is up"},
    {.name = "call_delay",
     .kind = READER_NUMBER,
     IN_VOTES(call_delay_s),
     .value = 30,
     .min = 1,
     .max = 3600,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning = "time between two votes that an address calls"},
    {.name = "newcomer_delay",
     .kind = READER_NUMBER,
     IN_VOTES(newcomer_delay_s),
     .value = 300,
     .min = 0,
     .max = 3600,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning =
         "time after joining before which a player cannot call a vote, and does not count in "
         "votes about players; and after a vote that failed, for the address of its caller"},
    {.name = "kick_players",
     .kind = READER_INTEGER,
     IN_VOTES(kick_players),
     .value = 0,
     .min = 0,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .meaning = "addresses that must be playing for a vote to kick"},
    {.name = "kick_ban",
     .kind = READER_INTEGER,
     IN_VOTES(kick_minutes),
     .value = 5,
     .min = 0,
     .max = 1440,
     .unit = "min",
     .applies = READER_AT_ONCE,
     .meaning = "time for which a player who was kicked by a vote may not return; 0 bans nobody"},
    {.name = "penalty",
     .kind = READER_INTEGER,
     IN_VOTES(penalty_minutes),
     .value = 3,
     .min = 1,
     .max = 1440,
     .unit = "min",
     .applies = READER_AT_ONCE,
     .meaning = "time for which a vote mutes a player or lets one only watch"},
};

const struct reader_table config_vote_keys = {VOTE_KEYS, COUNT(VOTE_KEYS)};

// Words with single spaces between them, each once.
static bool parse_kinds(const char *text, void *field)
{
    uint32_t kinds = 0;
    while (*text != '\0') {
        char word[16];
        const size_t length = strcspn(text, " ");
        if (length >= sizeof word)
            return false;
        memcpy(word, text, length);
        word[length] = '\0';
        const uint32_t kind = raim_vote_kind_find(word);
        if (kind == 0 || (kinds & RAIM_VOTE_BIT(kind)) != 0)
            return false;
        kinds |= RAIM_VOTE_BIT(kind);
        text += length;
        if (*text == ' ' && *++text == '\0')
            return false;
    }
    *(uint32_t *)field = kinds;
    return true;
}

// Parses what a silent player's vote counts as: "no", or "ignored", which does not count it.
static bool parse_silent(const char *text, void *field)
{
    const bool is_no = strcmp(text, "no") == 0;
    if (!is_no && strcmp(text, "ignored") != 0)
        return false;
    *(bool *)field = is_no;
    return true;
}
