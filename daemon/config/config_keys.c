// SPDX-License-Identifier: MIT
// The tables of the daemon's keys and the checks of their texts.
#include "config_keys.h"

#include "config.h"
#include "http_guard.h"
#include "match.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_NAME_BYTES == 32, "CONFIG_NAME_WANT says so");
static_assert(CONFIG_MAX_ARENAS == 256, "the want of arenas says so");
static_assert(CONFIG_ADDRESS_BYTES == INET_ADDRSTRLEN, "a dotted address must fit");
static_assert(CONFIG_CONTROL_BYTES == 108, "the want of control says so");
static_assert(CONFIG_MAX_ROTATION == 32, "the want of rotation says so");
static_assert(HTTP_MAX_HOSTS == 16, "the want of status_hosts says so");
static_assert(CONFIG_MOTD_BYTES == 121 && RAIM_MATCH_TEXT_BYTES == 121, "the want of motd says so");

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static bool is_address(const char *text);
static bool is_status(const char *text);
static bool is_motd(const char *text);
static bool is_log_level(const char *text);
static bool is_access(const char *text);
static bool is_access_key(const char *text);
static bool is_encrypted(const char *text);
static const struct reader_key *arena_keys(int *count);
static const struct reader_key *limit_keys(int *count);
static const struct reader_key *rule_keys(int *count);
static bool is_control(const char *text);

static const struct reader_key ROOT_KEYS[] = {
    {.name = "workers",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_root_keys, workers),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_WORKERS,
     .meaning = "threads that run the arenas, 0 for one per CPU"},
    {.name = "status",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_root_keys, status),
     .text = "127.0.0.1:7246",
     .accepts = is_status,
     .want = "\"IPV4:PORT\" or \"off\"",
     .meaning = "TCP address that serves the status over HTTP"},
    {.name = "status_hosts",
     .kind = READER_LIST,
     .offset = offsetof(struct config_root_keys, status_hosts),
     .want = "a list of at most 16 names of hosts",
     .meaning = "names that browsers and others may ask the status by, beside IP addresses and "
                "localhost"},
    {.name = "live_token_file",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_root_keys, live_token_file),
     .text = "",
     .want = "the path of a file that is not open to everybody, or \"\"",
     .meaning = "file whose line is a token: who brings it as \"Authorization: Bearer\" sees the "
                "live map without spectator_delay; relative to this file"},
    {.name = "control",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_root_keys, control),
     .text = "",
     .accepts = is_control,
     .want = "\"off\", \"\", or an absolute path of at most 107 bytes",
     .meaning = "Unix socket that raimctl talks to; \"\" for control.sock in $RUNTIME_DIRECTORY, "
                "where there is one"},
    {.name = "log_level",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_root_keys, log_level),
     .text = "info",
     .accepts = is_log_level,
     .want = LOG_LEVEL_WANT,
     .reloadable = true,
     .meaning = "what the log leaves out: everything less grave"},
    {.name = "sandbox",
     .kind = READER_BOOLEAN,
     .offset = offsetof(struct config_root_keys, sandbox),
     .flag = true,
     .meaning =
         "whether a running raimd gives up the system calls and files that it does not need"},
    {.name = "core_dumps",
     .kind = READER_BOOLEAN,
     .offset = offsetof(struct config_root_keys, core_dumps),
     .flag = false,
     .meaning = "whether a crash may leave a core, with every secret in it, and a debugger attach"},
    {.name = "arenas",
     .kind = READER_LIST,
     .offset = offsetof(struct config_root_keys, arenas),
     .required = true,
     .want = "a list of 1 to 256 groups",
     .keys = arena_keys,
     .reloadable = true,
     .meaning = "what is played"},
};

static const struct reader_key ARENA_KEYS[] = {
    {.name = "name",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, name),
     .required = true,
     .text = "",
     .accepts = config_is_name,
     .example = "duel",
     .want = CONFIG_NAME_WANT,
     .reloadable = true,
     .meaning = "name in the status and the log, each arena its own"},
    {.name = "address",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, address),
     .text = "0.0.0.0",
     .accepts = is_address,
     .want = "a dotted IPv4 address",
     .meaning = "local address that players connect to, 0.0.0.0 for all"},
    {.name = "port",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, port),
     .value = 7246,
     .min = 0,
     .max = 65535,
     .meaning = "UDP port, 0 for any free one"},
    {.name = "map",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, map),
     .required = true,
     .text = "",
     .accepts = config_is_path,
     .example = "maps/duel.conf",
     .want = CONFIG_PATH_WANT,
     .reloadable = true,
     .meaning = "where it is played; relative to this file"},
    {.name = "max_players",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, max_players),
     .value = 64,
     .min = 1,
     .max = 1000,
     .reloadable = true,
     .meaning = "players that may join at a time, bots not counted"},
    {.name = "max_spectators",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, max_spectators),
     .value = 8,
     .min = 0,
     .max = 1000,
     .reloadable = true,
     .meaning = "clients that may watch a player at a time, players not counted"},
    {.name = "spectator_delay",
     .kind = READER_NUMBER,
     .offset = offsetof(struct config_arena_keys, spectator_delay_s),
     .value = 10,
     .min = 0,
     .max = 60,
     .unit = "s",
     .reloadable = true,
     .meaning = "time by which a spectator sees everything late, wherever it connects from"},
    {.name = "bots",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, bots),
     .value = 0,
     .min = 0,
     .max = 200,
     .reloadable = true,
     .meaning = "players that the server itself plays"},
    {.name = "tick_hz",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, tick_hz),
     .value = 60,
     .min = 10,
     .max = 240,
     .unit = "Hz",
     .meaning = "steps of the game per second, and at most so many snapshots to each player"},
    {.name = "view_width",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, view_width),
     .value = 1600,
     .min = 100,
     .max = 10000,
     .unit = "units",
     .meaning = "width of what everybody sees around their own player, whatever their display"},
    {.name = "view_height",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, view_height),
     .value = 861,
     .min = 100,
     .max = 10000,
     .unit = "units",
     .meaning = "height of it"},
    {.name = "sight",
     .kind = READER_BOOLEAN,
     .offset = offsetof(struct config_arena_keys, sight),
     .flag = true,
     .meaning = "whether obstacles hide what is behind them, on the wire as well"},
    {.name = "lag_compensation",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, lag_compensation_ms),
     .value = 200,
     .min = 0,
     .max = 250,
     .unit = "ms",
     .meaning =
         "time by which others are rewound at most to where a shooter saw them, 0 for never"},
    {.name = "resume_grace",
     .kind = READER_NUMBER,
     .offset = offsetof(struct config_arena_keys, resume_grace_s),
     .value = 30,
     .min = 0,
     .max = 600,
     .unit = "s",
     .reloadable = true,
     .meaning = "time that the player of a lost connection stays for it to come back"},
    {.name = "idle_timeout",
     .kind = READER_NUMBER,
     .offset = offsetof(struct config_arena_keys, idle_timeout_s),
     .value = 60,
     .min = 0,
     .max = 86400,
     .unit = "s",
     .reloadable = true,
     .meaning =
         "time after which who presses nothing new makes room for a newcomer while the arena "
         "is full, 0 for never"},
    {.name = "queries",
     .kind = READER_BOOLEAN,
     .offset = offsetof(struct config_arena_keys, queries),
     .flag = true,
     .reloadable = true,
     .meaning = "whether the UDP port answers server browsers (Valve A2S)"},
    {.name = "query_names",
     .kind = READER_BOOLEAN,
     .offset = offsetof(struct config_arena_keys, query_names),
     .flag = true,
     .reloadable = true,
     .meaning = "whether these are told the names of players"},
    {.name = "round_time",
     .kind = READER_NUMBER,
     .offset = offsetof(struct config_arena_keys, round_s),
     .value = 0,
     .min = 0,
     .max = 86400,
     .unit = "s",
     .reloadable = true,
     .meaning = "time that a round takes at most, 0 for no end by the clock"},
    {.name = "score_limit",
     .kind = READER_INTEGER,
     .offset = offsetof(struct config_arena_keys, score_limit),
     .value = 0,
     .min = 0,
     .max = 100000,
     .unit = "points",
     .reloadable = true,
     .meaning = "what ends a round for the first to have it, 0 for none"},
    {.name = "break_time",
     .kind = READER_NUMBER,
     .offset = offsetof(struct config_arena_keys, break_s),
     .value = 10,
     .min = 0,
     .max = 300,
     .unit = "s",
     .reloadable = true,
     .meaning = "time between two rounds, in which everybody stands and the winner is shown"},
    {.name = "rotation",
     .kind = READER_LIST,
     .offset = offsetof(struct config_arena_keys, rotation),
     .want = "a list of at most 32 paths of map files",
     .reloadable = true,
     .meaning = "maps that follow round by round, and then that of the key map again"},
    {.name = "motd",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, motd),
     .text = "",
     .accepts = is_motd,
     .want = "at most 120 bytes of UTF-8 without anything invisible",
     .reloadable = true,
     .meaning = "what everybody is told who comes in"},
    {.name = "address_validation",
     .kind = READER_BOOLEAN,
     .offset = offsetof(struct config_arena_keys, address_validation),
     .flag = true,
     .reloadable = true,
     .meaning = "whether who connects must have shown that its address is its own"},
    {.name = "limits",
     .kind = READER_GROUP,
     .offset = offsetof(struct config_arena_keys, limits),
     .want = "a group",
     .keys = limit_keys,
     .reloadable = true,
     .meaning = "what one address may take that differs from the default"},
    {.name = "access",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, access),
     .text = "open",
     .accepts = is_access,
     .want = "\"open\" or \"token\"",
     .meaning = "who is let in: everybody, or who has an access token (see raimctl token)"},
    {.name = "access_key",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, access_key),
     .text = "",
     .accepts = is_access_key,
     .want = "1 to 4 public keys of 64 hexadecimal digits with a space between them",
     .meaning = "public keys of those who sign access tokens"},
    {.name = "encryption",
     .kind = READER_TEXT,
     .offset = offsetof(struct config_arena_keys, encryption),
     .text = "offered",
     .accepts = is_encrypted,
     .want = "\"off\", \"offered\" or \"required\"",
     .meaning = "whether datagrams are encrypted: of nobody, of clients that can do it, or of all"},
    {.name = "rules",
     .kind = READER_GROUP,
     .offset = offsetof(struct config_arena_keys, rules),
     .want = "a group",
     .keys = rule_keys,
     .reloadable = true,
     .meaning = "numbers of the game that differ from their defaults"},
};

#define LIMIT_KEY(limit, its_value, its_min, its_max, its_meaning)                                 \
    {.name = #limit,                                                                               \
     .kind = READER_INTEGER,                                                                       \
     .offset = offsetof(struct gate_limits, limit),                                                \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .reloadable = true,                                                                           \
     .meaning = its_meaning},

static const struct reader_key LIMIT_KEYS[] = {
    GATE_LIMITS(LIMIT_KEY){.name = "loopback",
                           .kind = READER_BOOLEAN,
                           .offset = offsetof(struct gate_limits, loopback),
                           .flag = false,
                           .reloadable = true,
                           .meaning = "whether 127.0.0.0/8 is limited like any other network"},
};

#define RULE_KEY(rule, its_unit, its_value, its_min, its_max, its_meaning)                         \
    {.name = #rule,                                                                                \
     .kind = READER_NUMBER,                                                                        \
     .offset = offsetof(raim_rules, rule),                                                         \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .unit = its_unit,                                                                             \
     .reloadable = true,                                                                           \
     .meaning = its_meaning},

static const struct reader_key RULE_KEYS[] = {RAIM_RULES(RULE_KEY)};

const struct reader_key *config_keys(enum config_group group, int *count)
{
    switch (group) {
    case CONFIG_ROOT:
        *count = COUNT(ROOT_KEYS);
        return ROOT_KEYS;
    case CONFIG_ARENA:
        *count = COUNT(ARENA_KEYS);
        return ARENA_KEYS;
    case CONFIG_LIMITS:
        *count = COUNT(LIMIT_KEYS);
        return LIMIT_KEYS;
    case CONFIG_RULES:
        break;
    }
    *count = COUNT(RULE_KEYS);
    return RULE_KEYS;
}

static const struct reader_key *arena_keys(int *count)
{
    return config_keys(CONFIG_ARENA, count);
}

static const struct reader_key *limit_keys(int *count)
{
    return config_keys(CONFIG_LIMITS, count);
}

static const struct reader_key *rule_keys(int *count)
{
    return config_keys(CONFIG_RULES, count);
}

bool config_is_name(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return length > 0 && length < CONFIG_NAME_BYTES && text[length] == '\0';
}

bool config_split_address(const char *text, char address[INET_ADDRSTRLEN], uint16_t *port)
{
    const size_t length = strcspn(text, ":");
    if (text[length] != ':' || length >= INET_ADDRSTRLEN)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';

    const char *digits = text + length + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count < 1 || count > 5 || digits[count] != '\0' || atol(digits) > UINT16_MAX)
        return false;
    *port = (uint16_t)atol(digits);
    return is_address(address);
}

static bool is_address(const char *text)
{
    struct in_addr parsed;
    return inet_pton(AF_INET, text, &parsed) == 1;
}

static bool is_status(const char *text)
{
    char address[INET_ADDRSTRLEN];
    uint16_t port;
    return text[0] == '\0' || strcmp(text, "off") == 0 ||
           config_split_address(text, address, &port);
}

bool config_is_path(const char *text)
{
    return text[0] != '\0';
}

static bool is_motd(const char *text)
{
    char cleaned[RAIM_MATCH_TEXT_BYTES];
    return text[0] == '\0' || (raim_match_clean(text, cleaned) && strcmp(text, cleaned) == 0);
}

static bool is_log_level(const char *text)
{
    enum log_level level;
    return log_level_find(text, &level);
}

static bool is_control(const char *text)
{
    return text[0] == '\0' || strcmp(text, "off") == 0 ||
           (text[0] == '/' && strlen(text) < CONFIG_CONTROL_BYTES);
}

static bool is_access(const char *text)
{
    return strcmp(text, "open") == 0 || strcmp(text, "token") == 0;
}

static bool is_encrypted(const char *text)
{
    return strcmp(text, "off") == 0 || strcmp(text, "offered") == 0 ||
           strcmp(text, "required") == 0;
}

static bool is_access_key(const char *text)
{
    struct access_control_keys keys;
    return text[0] == '\0' || access_control_read_keys(text, &keys);
}
