// SPDX-License-Identifier: MIT
// The tables of the keys of arenas, their limits, votes and rules, and the parsers of their text
// values.
#include "config_keys.h"

#include "config_listing.h"
#include "config_loader.h"
#include "config_root_keys.h"
#include "name.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_NAME_BYTES == 32, "CONFIG_NAME_EXPECTED says so");
static_assert(CONFIG_MAX_ROTATION == 32, "`expected` of rotation names the limit");
static_assert(RAIM_MAX_MOTD_BYTES == 120, "`expected` of motd names the limit");

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

// Offset and size of the field that holds a key's value.
#define IN(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define IN_ARENA(member) IN(struct config_arena, member)

static const struct reader_table limit_keys, rule_keys, vote_keys;
static bool parse_name(const char *text, void *field);
static bool parse_address(const char *text, void *field);
static bool parse_dscp(const char *text, void *field);
static bool parse_path(const char *text, void *field);
static bool parse_motd(const char *text, void *field);
static bool parse_bot_skill(const char *text, void *field);
static bool parse_access(const char *text, void *field);
static bool parse_access_key(const char *text, void *field);
static bool parse_encryption(const char *text, void *field);
static bool parse_recording(const char *text, void *field);
static bool parse_kinds(const char *text, void *field);
static bool parse_silent(const char *text, void *field);

// A key of a row of lib/match (votes.h), which is stored at `place`.
#define SETTING_KEY(type, place, key, its_value, its_min, its_max, its_unit, its_applies,          \
                    its_meaning)                                                                   \
    {.name = key,                                                                                  \
     .kind = KIND_##type,                                                                          \
     place,                                                                                        \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .unit = its_unit,                                                                             \
     .applies = READER_##its_applies,                                                              \
     .meaning = its_meaning},
#define MATCH_KEY(type, member, key, ...)                                                          \
    SETTING_KEY(type, IN_ARENA(match.member), key, __VA_ARGS__)
#define TUNING_KEY(type, member, key, ...)                                                         \
    SETTING_KEY(type, IN_ARENA(match.tuning.member), key, __VA_ARGS__)
#define KIND_uint32_t READER_INTEGER
#define KIND_double READER_NUMBER

static const struct reader_key ARENA_KEYS[] = {
    {.name = "name",
     .kind = READER_TEXT,
     IN_ARENA(name),
     .required = true,
     .parse = parse_name,
     .example = "duel",
     .expected = CONFIG_NAME_EXPECTED,
     .applies = READER_AT_ONCE,
     .meaning = "unique name of the arena in the status and the log"},
    {.name = "address",
     .kind = READER_TEXT,
     IN_ARENA(address),
     .text = "0.0.0.0",
     .parse = parse_address,
     .expected = "an IPv4 or IPv6 address",
     .meaning = "local address that players connect to; 0.0.0.0 listens on all "
                "IPv4 addresses, \"::\" on all addresses of IPv6 and IPv4"},
    {.name = "port",
     .kind = READER_INTEGER,
     IN_ARENA(port),
     .value = 7246,
     .min = 0,
     .max = UINT16_MAX,
     .meaning = "UDP port; 0 selects a free port, or under Agones the port of the GameServer "
                "that has the arena's name, or its only one"},
    {.name = "dscp",
     .kind = READER_TEXT,
     IN_ARENA(dscp),
     .text = "EF",
     .parse = parse_dscp,
     .expected = "\"EF\", \"CS0\" to \"CS7\", \"AF11\" to \"AF43\", or \"0\" to \"63\"",
     .applies = READER_AT_ONCE,
     .meaning = "class of the datagrams that are sent (DSCP), by which routers and "
                "Wi-Fi may prefer them; \"CS0\" is none"},
    {.name = "map",
     .kind = READER_TEXT,
     .load = config_load_map_key,
     .same_files = config_has_same_map,
     .required = true,
     .parse = parse_path,
     .example = "maps/duel.conf",
     .expected = CONFIG_PATH_EXPECTED,
     .applies = READER_WITH_MAP,
     .meaning = "map file of the first round; the path is relative to this file"},
    {.name = "max_players",
     .kind = READER_INTEGER,
     IN_ARENA(match.tuning.max_players),
     .value = 64,
     .min = 1,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .scope = READER_PLAYERS,
     .meaning = "maximum number of connected players, not counting bots"},
    {.name = "max_spectators",
     .kind = READER_INTEGER,
     IN_ARENA(match.tuning.max_spectators),
     .value = 8,
     .min = 0,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .scope = READER_SPECTATORS,
     .meaning = "maximum number of connected spectators, not counting players"},
    {.name = "bots",
     .kind = READER_INTEGER,
     IN_ARENA(match.bots),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_BOTS,
     .applies = READER_WITH_MATCH,
     .scope = READER_BOTS,
     .meaning = "number of players that the server controls"},
    {.name = "bot_fill",
     .kind = READER_BOOLEAN,
     IN_ARENA(match.bot_fill),
     .flag = false,
     .applies = READER_WITH_MATCH,
     .meaning = "whether bots leave as players join, so that both together are as many as bots"},
    {.name = "bot_skill",
     .kind = READER_TEXT,
     IN_ARENA(match.bot_skill),
     .text = "normal",
     .parse = parse_bot_skill,
     .expected = "\"easy\", \"normal\" or \"hard\"",
     .applies = READER_WITH_MATCH,
     .meaning = "how well bots aim, how soon they react, and how often they fire and take cover"},
    RAIM_MATCH_SETTINGS(MATCH_KEY) RAIM_MATCH_TUNING(TUNING_KEY){
        .name = "sight",
        .kind = READER_BOOLEAN,
        IN_ARENA(match.sight),
        .flag = true,
        .meaning =
            "whether obstacles hide what is behind them; the server does not send what is hidden"},
    {.name = "queries",
     .kind = READER_BOOLEAN,
     IN_ARENA(queries),
     .flag = true,
     .applies = READER_AT_ONCE,
     .meaning = "whether the UDP port answers server browser queries (Valve A2S)"},
    {.name = "query_names",
     .kind = READER_BOOLEAN,
     IN_ARENA(query_names),
     .flag = true,
     .applies = READER_AT_ONCE,
     .meaning = "whether answers to server browser queries contain the names of "
                "players"},
    {.name = "rotation",
     .kind = READER_LIST,
     .load = config_load_rotation,
     .same_files = config_has_same_rotation,
     .expected = "a list of at most 32 paths of map files",
     .applies = READER_WITH_ROTATION,
     .meaning = "maps of the following rounds in order, after which the rotation "
                "starts again with the key map"},
    {.name = "motd",
     .kind = READER_TEXT,
     IN_ARENA(match.tuning.motd),
     .text = "",
     .parse = parse_motd,
     .expected = "at most 120 bytes of UTF-8 without anything invisible",
     .applies = READER_AT_ONCE,
     .meaning = "message of the day, which is shown to each client that joins"},
    {.name = "hostname",
     .kind = READER_TEXT,
     IN_ARENA(hostname),
     .text = "",
     .parse = config_parse_hostname,
     .expected = "at most 64 bytes of UTF-8 without anything invisible",
     .applies = READER_AT_ONCE,
     .meaning = "name of the arena in server browsers; \"\" shows its name in this file"},
    {.name = "tags",
     .kind = READER_LIST,
     IN_ARENA(tags),
     .load = config_load_tags,
     .expected = "a list of at most 8 words of 1 to 15 characters of A-Z, a-z, 0-9, _, ., + and -",
     .applies = READER_AT_ONCE,
     .meaning = "words by which server browsers find the arena"},
    {.name = "region",
     .kind = READER_TEXT,
     IN_ARENA(region),
     .text = "",
     .parse = config_parse_region,
     .expected = "at most 32 bytes of UTF-8 without anything invisible",
     .applies = READER_AT_ONCE,
     .meaning = "where the server stands, for people in server browsers"},
    {.name = "website",
     .kind = READER_TEXT,
     IN_ARENA(website),
     .text = "",
     .parse = config_parse_website,
     .expected = "a URL of http or https of at most 128 characters, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "page about the arena, for people in server browsers"},
    {.name = "address_validation",
     .kind = READER_BOOLEAN,
     IN_ARENA(address_validation),
     .flag = true,
     .applies = READER_AT_ONCE,
     .meaning = "whether a client must prove that it receives at its source address "
                "(stateless cookie) before it may connect"},
    {.name = "limits",
     .kind = READER_GROUP,
     IN_ARENA(limits),
     .expected = "a group",
     .keys = &limit_keys,
     .applies = READER_AT_ONCE,
     .meaning = "limits per address and network that differ from their defaults"},
    {.name = "access",
     .kind = READER_TEXT,
     IN_ARENA(needs_access),
     .text = "open",
     .parse = parse_access,
     .expected = "\"open\" or \"token\"",
     .meaning = "who may join: everybody (\"open\"), or only clients with an access "
                "token (\"token\", see raimctl token)"},
    {.name = "access_key",
     .kind = READER_TEXT,
     IN_ARENA(access_keys),
     .text = "",
     .parse = parse_access_key,
     .expected = "1 to 4 public keys of 64 hexadecimal digits with a space between them",
     .meaning = "public keys that verify the signatures of access tokens"},
    {.name = "password",
     .kind = READER_TEXT,
     IN_ARENA(password),
     .text = "",
     .parse = config_parse_password,
     .expected = CONFIG_PASSWORD_EXPECTED,
     .is_secret = true,
     .applies = READER_AT_ONCE,
     .meaning = "password that players and spectators must know, as raimctl password prints it; "
                "a client with a valid access token needs none; needs encryption"},
    {.name = "encryption",
     .kind = READER_TEXT,
     IN_ARENA(encryption),
     .text = "offered",
     .parse = parse_encryption,
     .expected = "\"off\", \"offered\" or \"required\"",
     .meaning = "encryption of datagrams: never, for clients that support it, or "
                "required of all clients"},
    {.name = "recording",
     .kind = READER_TEXT,
     IN_ARENA(recording),
     .text = "played",
     .parse = parse_recording,
     .expected = "\"all\", \"played\" or \"none\"",
     .applies = READER_AT_ONCE,
     .meaning = "which rounds are recorded: those that a client plays (\"played\"), also those of "
                "bots alone (\"all\"), or none; see "
                "recordings.directory"},
    {.name = "votes",
     .kind = READER_GROUP,
     IN_ARENA(match.tuning.votes),
     .expected = "a group",
     .keys = &vote_keys,
     .applies = READER_AT_ONCE,
     .meaning = "settings of votes that differ from their defaults"},
    {.name = "rules",
     .kind = READER_GROUP,
     IN_ARENA(match.rules),
     .expected = "a group",
     .keys = &rule_keys,
     .applies = READER_WITH_MATCH,
     .meaning = "numbers of the game that differ from their defaults"},
};

#define VOTE_KEY(type, member, key, ...)                                                           \
    SETTING_KEY(type, IN(struct raim_vote_tuning, member), key, __VA_ARGS__)

static const struct reader_key VOTE_KEYS[] = {
    {.name = "kinds",
     .kind = READER_TEXT,
     IN(struct raim_vote_tuning, kinds),
     .text = "kick mute map nextmap restart extend spectate pause",
     .parse = parse_kinds,
     .expected = "words of kick, mute, map, nextmap, restart, extend, spectate and pause with a "
                 "space between them",
     .applies = READER_AT_ONCE,
     .meaning = "what players may vote about; \"\" for nothing"},
    {.name = "silent",
     .kind = READER_TEXT,
     IN(struct raim_vote_tuning, silent_is_no),
     .text = "ignored",
     .parse = parse_silent,
     .expected = "\"ignored\" or \"no\"",
     .applies = READER_AT_ONCE,
     .meaning = "how players count who have not voted when the time is up"},
    RAIM_VOTE_TUNING(VOTE_KEY)};

#define LIMIT_KEY(limit, its_value, its_min, its_max, its_meaning)                                 \
    {.name = #limit,                                                                               \
     .kind = READER_INTEGER,                                                                       \
     IN(struct admission_limits, limit),                                                           \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .applies = READER_AT_ONCE,                                                                    \
     .meaning = its_meaning},

static const struct reader_key LIMIT_KEYS[] = {
    ADMISSION_LIMITS(LIMIT_KEY){
        .name = "loopback",
        .kind = READER_BOOLEAN,
        IN(struct admission_limits, loopback),
        .flag = false,
        .applies = READER_AT_ONCE,
        .meaning = "whether 127.0.0.0/8 and ::1 are limited like any other network"},
};

#define RULE_KEY(rule, its_kind, its_unit, its_value, its_min, its_max, its_meaning)               \
    {.name = #rule,                                                                                \
     .kind = READER_##its_kind,                                                                    \
     IN(raim_rules, rule),                                                                         \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .unit = its_unit,                                                                             \
     .applies = READER_WITH_MATCH,                                                                 \
     .meaning = its_meaning},

static const struct reader_key RULE_KEYS[] = {RAIM_RULES(RULE_KEY)};

static const struct reader_table limit_keys = {LIMIT_KEYS, COUNT(LIMIT_KEYS)};
static const struct reader_table rule_keys = {RULE_KEYS, COUNT(RULE_KEYS)};
static const struct reader_table vote_keys = {VOTE_KEYS, COUNT(VOTE_KEYS)};
const struct reader_table config_arena_keys = {ARENA_KEYS, COUNT(ARENA_KEYS)};

// The keys of an arena without its port. Built when a configuration is first loaded, which the main
// thread does.
static const struct reader_key *template_keys(void)
{
    static struct reader_key keys[COUNT(ARENA_KEYS) - 1];
    int count = 0;
    for (int i = 0; i < COUNT(ARENA_KEYS); i++)
        if (strcmp(ARENA_KEYS[i].name, "port") != 0)
            keys[count++] = ARENA_KEYS[i];
    assert(count == COUNT(keys));
    return keys;
}

const struct reader_key *config_keys(enum config_group group, int *count)
{
    switch (group) {
    case CONFIG_ROOT:
        return config_root_keys(count);
    case CONFIG_ARENA:
        *count = COUNT(ARENA_KEYS);
        return ARENA_KEYS;
    case CONFIG_TEMPLATE:
        *count = COUNT(ARENA_KEYS) - 1;
        return template_keys();
    case CONFIG_LIMITS:
        *count = COUNT(LIMIT_KEYS);
        return LIMIT_KEYS;
    case CONFIG_VOTES:
        *count = COUNT(VOTE_KEYS);
        return VOTE_KEYS;
    case CONFIG_RULES:
        break;
    }
    *count = COUNT(RULE_KEYS);
    return RULE_KEYS;
}

void config_tune(struct config_arena *arena, const struct config_arena *from)
{
    for (int i = 0; i < COUNT(ARENA_KEYS); i++) {
        const struct reader_key *key = &ARENA_KEYS[i];
        const bool is_tuning = key->applies == READER_AT_ONCE ||
                               key->applies == READER_WITH_BREAK ||
                               key->applies == READER_WITH_ROUND;
        if (is_tuning)
            memcpy((char *)arena + key->offset, (const char *)from + key->offset, key->size);
    }
}

// The caller has checked that the text fits the field.
static void copy_text(void *field, const char *text)
{
    memcpy(field, text, strlen(text) + 1);
}

bool config_is_name(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return length > 0 && length < CONFIG_NAME_BYTES && text[length] == '\0';
}

static bool parse_name(const char *text, void *field)
{
    const bool is_good = config_is_name(text);
    if (is_good)
        copy_text(field, text);
    return is_good;
}

// Copies an address without its brackets.
static bool parse_address(const char *text, void *field)
{
    union socket_address address;
    const size_t length = strlen(text);
    const bool has_brackets = text[0] == '[';
    if (length >= CONFIG_ADDRESS_BYTES || !socket_address_parse(text, 0, &address))
        return false;
    char *copy = field;
    memcpy(copy, text + has_brackets, length - 2 * has_brackets);
    copy[length - 2 * has_brackets] = '\0';
    return true;
}

// An IPv6 address has brackets here.
bool config_split_address(const char *text, char address[CONFIG_ADDRESS_BYTES], uint16_t *port)
{
    char host[CONFIG_ADDRESS_BYTES];
    const size_t length = text[0] == '[' ? strcspn(text, "]") + 1 : strcspn(text, ":");
    if (length >= sizeof host || length >= strlen(text) || text[length] != ':')
        return false;
    memcpy(host, text, length);
    host[length] = '\0';

    const char *digits = text + length + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count < 1 || count > 5 || digits[count] != '\0' || atol(digits) > UINT16_MAX)
        return false;
    *port = (uint16_t)atol(digits);
    return parse_address(host, address);
}

bool config_is_path(const char *text)
{
    return text[0] != '\0';
}

static bool parse_path(const char *text, void *field)
{
    (void)field; // config_load_maps loads the file later
    return config_is_path(text);
}

static bool parse_motd(const char *text, void *field)
{
    char cleaned[RAIM_MAX_TEXT_BYTES + 1];
    const bool is_good = text[0] == '\0' || (raim_text_clean(text, cleaned, RAIM_MAX_TEXT_BYTES) &&
                                             strcmp(text, cleaned) == 0);
    if (is_good)
        copy_text(field, text);
    return is_good;
}

static bool parse_access(const char *text, void *field)
{
    const bool needs_token = strcmp(text, "token") == 0;
    if (!needs_token && strcmp(text, "open") != 0)
        return false;
    *(bool *)field = needs_token;
    return true;
}

// A codepoint by its number or its name (RFC 2474, RFC 2597, RFC 3246).
static bool parse_dscp(const char *text, void *field)
{
    enum { EXPEDITED = 46, CODEPOINTS = 64 };
    const size_t length = strlen(text);
    const size_t digits = strspn(text, "0123456789");
    uint32_t dscp = CODEPOINTS;
    if (digits >= 1 && digits <= 2 && digits == length)
        dscp = (uint32_t)atoi(text);
    else if (strcmp(text, "EF") == 0)
        dscp = EXPEDITED;
    else if (length == 3 && strncmp(text, "CS", 2) == 0 && text[2] >= '0' && text[2] <= '7')
        dscp = (uint32_t)(text[2] - '0') * 8;
    else if (length == 4 && strncmp(text, "AF", 2) == 0 && text[2] >= '1' && text[2] <= '4' &&
             text[3] >= '1' && text[3] <= '3')
        dscp = (uint32_t)(text[2] - '0') * 8 + (uint32_t)(text[3] - '0') * 2;
    if (dscp >= CODEPOINTS)
        return false;
    *(uint32_t *)field = dscp;
    return true;
}

// Stores the index of a text among names, some of which may be NULL. Returns false for another
// text.
static bool parse_one_of(const char *text, const char *const *names, int count, uint32_t *index)
{
    for (int i = 0; i < count; i++) {
        if (names[i] != NULL && strcmp(text, names[i]) == 0) {
            *index = (uint32_t)i;
            return true;
        }
    }
    return false;
}

static bool parse_bot_skill(const char *text, void *field)
{
    static const char *const names[] = {
        [RAIM_BOT_EASY] = "easy",
        [RAIM_BOT_NORMAL] = "normal",
        [RAIM_BOT_HARD] = "hard",
    };
    static_assert(sizeof(enum raim_bot_skill) == sizeof(uint32_t), "stored as a number");
    return parse_one_of(text, names, COUNT(names), field);
}

static bool parse_encryption(const char *text, void *field)
{
    static const char *const names[] = {
        [CONFIG_ENCRYPTION_OFF] = "off",
        [CONFIG_ENCRYPTION_OFFERED] = "offered",
        [CONFIG_ENCRYPTION_REQUIRED] = "required",
    };
    static_assert(sizeof(enum config_encryption) == sizeof(uint32_t), "stored as a number");
    return parse_one_of(text, names, COUNT(names), field);
}

static bool parse_recording(const char *text, void *field)
{
    static const char *const names[] = {
        [CONFIG_RECORDING_PLAYED] = "played",
        [CONFIG_RECORDING_ALL] = "all",
        [CONFIG_RECORDING_NONE] = "none",
    };
    static_assert(sizeof(enum config_recording) == sizeof(uint32_t), "stored as a number");
    return parse_one_of(text, names, COUNT(names), field);
}

static bool parse_access_key(const char *text, void *field)
{
    struct access_control_keys keys = {0};
    const bool is_good = text[0] == '\0' || access_control_read_keys(text, &keys);
    if (is_good)
        memcpy(field, &keys, sizeof keys);
    return is_good;
}

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
