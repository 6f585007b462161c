// SPDX-License-Identifier: MIT
// The tables of the daemon's keys and what their texts say.
#include "config_keys.h"

#include "config_loader.h"
#include "http_guard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_NAME_BYTES == 32, "CONFIG_NAME_EXPECTED says so");
static_assert(CONFIG_MAX_ARENAS == 256, "the want of arenas says so");
static_assert(CONFIG_ADDRESS_BYTES == INET_ADDRSTRLEN, "a dotted address must fit");
static_assert(CONFIG_CONTROL_BYTES == 108, "the want of control says so");
static_assert(CONFIG_MAX_ROTATION == 32, "the want of rotation says so");
static_assert(HTTP_MAX_HOSTS == 16, "the want of status_hosts says so");
static_assert(RAIM_MAX_MOTD_BYTES == 120, "the want of motd says so");

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

// Where a key's value is kept.
#define IN(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define IN_ROOT(member) IN(struct config, member)
#define IN_ARENA(member) IN(struct config_arena, member)

static const struct reader_key *arena_keys(int *count);
static const struct reader_key *limit_keys(int *count);
static const struct reader_key *rule_keys(int *count);
static bool parse_status(const char *text, void *field);
static bool parse_control(const char *text, void *field);
static bool parse_log_level(const char *text, void *field);
static bool parse_name(const char *text, void *field);
static bool parse_address(const char *text, void *field);
static bool parse_path(const char *text, void *field);
static bool parse_motd(const char *text, void *field);
static bool parse_access(const char *text, void *field);
static bool parse_access_key(const char *text, void *field);
static bool parse_encryption(const char *text, void *field);

static_assert(offsetof(struct http_guard, host_count) == 0 &&
                  offsetof(struct http_guard, hosts) < offsetof(struct http_guard, token),
              "what stands before the token are the names of hosts");

static const struct reader_key ROOT_KEYS[] = {
    {.name = "workers",
     .kind = READER_INTEGER,
     IN_ROOT(workers),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_WORKERS,
     .meaning = "threads that run the arenas, 0 for one per CPU"},
    {.name = "status",
     .kind = READER_TEXT,
     IN_ROOT(status),
     .text = "127.0.0.1:7246",
     .parse = parse_status,
     .expected = "\"IPV4:PORT\" or \"off\"",
     .meaning = "TCP address that serves the status over HTTP"},
    {.name = "status_hosts",
     .kind = READER_LIST,
     .offset = offsetof(struct config, status_guard),
     .size = offsetof(struct http_guard, token),
     .load = config_load_hosts,
     .expected = "a list of at most 16 names of hosts",
     .meaning = "names that browsers and others may ask the status by, beside IP addresses and "
                "localhost"},
    {.name = "live_token_file",
     .kind = READER_TEXT,
     IN_ROOT(status_guard.token),
     .load = config_load_token,
     .text = "",
     .expected = "the path of a file that is not open to everybody, or \"\"",
     .meaning = "file whose line is a token: who brings it as \"Authorization: Bearer\" sees the "
                "live map without spectator_delay; relative to this file"},
    {.name = "control",
     .kind = READER_TEXT,
     IN_ROOT(control),
     .text = "",
     .parse = parse_control,
     .expected = "\"off\", \"\", or an absolute path of at most 107 bytes",
     .meaning = "Unix socket that raimctl talks to; \"\" for control.sock in $RUNTIME_DIRECTORY, "
                "where there is one"},
    {.name = "log_level",
     .kind = READER_TEXT,
     IN_ROOT(log_level),
     .text = "info",
     .parse = parse_log_level,
     .expected = LOG_LEVEL_WANT,
     .applies = READER_AT_ONCE,
     .meaning = "what the log leaves out: everything less grave"},
    {.name = "sandbox",
     .kind = READER_BOOLEAN,
     IN_ROOT(sandbox),
     .flag = true,
     .meaning =
         "whether a running raimd gives up the system calls and files that it does not need"},
    {.name = "core_dumps",
     .kind = READER_BOOLEAN,
     IN_ROOT(core_dumps),
     .flag = false,
     .meaning = "whether a crash may leave a core, with every secret in it, and a debugger attach"},
    {.name = "arenas",
     .kind = READER_LIST,
     .load = config_load_arenas,
     .required = true,
     .expected = "a list of 1 to 256 groups",
     .keys = arena_keys,
     .applies = READER_AT_ONCE,
     .meaning = "what is played"},
};

static const struct reader_key ARENA_KEYS[] = {
    {.name = "name",
     .kind = READER_TEXT,
     IN_ARENA(name),
     .required = true,
     .parse = parse_name,
     .example = "duel",
     .expected = CONFIG_NAME_EXPECTED,
     .applies = READER_AT_ONCE,
     .meaning = "name in the status and the log, each arena its own"},
    {.name = "address",
     .kind = READER_TEXT,
     IN_ARENA(address),
     .text = "0.0.0.0",
     .parse = parse_address,
     .expected = "a dotted IPv4 address",
     .meaning = "local address that players connect to, 0.0.0.0 for all"},
    {.name = "port",
     .kind = READER_INTEGER,
     IN_ARENA(port),
     .value = 7246,
     .min = 0,
     .max = UINT16_MAX,
     .meaning = "UDP port, 0 for any free one"},
    {.name = "map",
     .kind = READER_TEXT,
     .load = config_load_map_key,
     .same_files = config_has_same_map,
     .required = true,
     .parse = parse_path,
     .example = "maps/duel.conf",
     .expected = CONFIG_PATH_EXPECTED,
     .applies = READER_WITH_MAP,
     .meaning = "where it is played; relative to this file"},
    {.name = "max_players",
     .kind = READER_INTEGER,
     IN_ARENA(max_players),
     .value = 64,
     .min = 1,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .room = READER_PLAYERS,
     .meaning = "players that may join at a time, bots not counted"},
    {.name = "max_spectators",
     .kind = READER_INTEGER,
     IN_ARENA(max_spectators),
     .value = 8,
     .min = 0,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .room = READER_SPECTATORS,
     .meaning = "clients that may watch a player at a time, players not counted"},
    {.name = "spectator_delay",
     .kind = READER_NUMBER,
     IN_ARENA(spectator_delay_s),
     .value = 10,
     .min = 0,
     .max = 60,
     .unit = "s",
     .applies = READER_WITH_MATCH,
     .meaning = "time by which a spectator sees everything late, wherever it connects from"},
    {.name = "bots",
     .kind = READER_INTEGER,
     IN_ARENA(bots),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_BOTS,
     .applies = READER_WITH_MATCH,
     .room = READER_BOTS,
     .meaning = "players that the server itself plays"},
    {.name = "tick_hz",
     .kind = READER_INTEGER,
     IN_ARENA(tick_hz),
     .value = 60,
     .min = 10,
     .max = 240,
     .unit = "Hz",
     .meaning = "steps of the game per second, and at most so many snapshots to each player"},
    {.name = "view_width",
     .kind = READER_INTEGER,
     IN_ARENA(view_width),
     .value = 1600,
     .min = 100,
     .max = 10000,
     .unit = "units",
     .meaning = "width of what everybody sees around their own player, whatever their display"},
    {.name = "view_height",
     .kind = READER_INTEGER,
     IN_ARENA(view_height),
     .value = 861,
     .min = 100,
     .max = 10000,
     .unit = "units",
     .meaning = "height of it"},
    {.name = "sight",
     .kind = READER_BOOLEAN,
     IN_ARENA(sight),
     .flag = true,
     .meaning = "whether obstacles hide what is behind them, on the wire as well"},
    {.name = "lag_compensation",
     .kind = READER_INTEGER,
     IN_ARENA(lag_compensation_ms),
     .value = 200,
     .min = 0,
     .max = 250,
     .unit = "ms",
     .meaning =
         "time by which others are rewound at most to where a shooter saw them, 0 for never"},
    {.name = "resume_grace",
     .kind = READER_NUMBER,
     IN_ARENA(resume_grace_s),
     .value = 30,
     .min = 0,
     .max = 600,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning = "time that the player of a lost connection stays for it to come back"},
    {.name = "idle_timeout",
     .kind = READER_NUMBER,
     IN_ARENA(idle_timeout_s),
     .value = 60,
     .min = 0,
     .max = 86400,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning =
         "time after which who presses nothing new makes room for a newcomer while the arena "
         "is full, 0 for never"},
    {.name = "queries",
     .kind = READER_BOOLEAN,
     IN_ARENA(queries),
     .flag = true,
     .applies = READER_AT_ONCE,
     .meaning = "whether the UDP port answers server browsers (Valve A2S)"},
    {.name = "query_names",
     .kind = READER_BOOLEAN,
     IN_ARENA(query_names),
     .flag = true,
     .applies = READER_AT_ONCE,
     .meaning = "whether these are told the names of players"},
    {.name = "round_time",
     .kind = READER_NUMBER,
     IN_ARENA(round_s),
     .value = 0,
     .min = 0,
     .max = 86400,
     .unit = "s",
     .applies = READER_WITH_ROUND,
     .meaning = "time that a round takes at most, 0 for no end by the clock"},
    {.name = "score_limit",
     .kind = READER_INTEGER,
     IN_ARENA(score_limit),
     .value = 0,
     .min = 0,
     .max = 100000,
     .unit = "points",
     .applies = READER_WITH_ROUND,
     .meaning = "what ends a round for the first to have it, 0 for none"},
    {.name = "break_time",
     .kind = READER_NUMBER,
     IN_ARENA(break_s),
     .value = 10,
     .min = 0,
     .max = 300,
     .unit = "s",
     .applies = READER_WITH_BREAK,
     .meaning = "time between two rounds, in which everybody stands and the winner is shown"},
    {.name = "rotation",
     .kind = READER_LIST,
     .load = config_load_rotation,
     .same_files = config_has_same_rotation,
     .expected = "a list of at most 32 paths of map files",
     .applies = READER_WITH_ROTATION,
     .meaning = "maps that follow round by round, and then that of the key map again"},
    {.name = "motd",
     .kind = READER_TEXT,
     IN_ARENA(motd),
     .text = "",
     .parse = parse_motd,
     .expected = "at most 120 bytes of UTF-8 without anything invisible",
     .applies = READER_AT_ONCE,
     .meaning = "what everybody is told who comes in"},
    {.name = "address_validation",
     .kind = READER_BOOLEAN,
     IN_ARENA(address_validation),
     .flag = true,
     .applies = READER_AT_ONCE,
     .meaning = "whether who connects must have shown that its address is its own"},
    {.name = "limits",
     .kind = READER_GROUP,
     IN_ARENA(limits),
     .expected = "a group",
     .keys = limit_keys,
     .applies = READER_AT_ONCE,
     .meaning = "what one address may take that differs from the default"},
    {.name = "access",
     .kind = READER_TEXT,
     IN_ARENA(needs_access),
     .text = "open",
     .parse = parse_access,
     .expected = "\"open\" or \"token\"",
     .meaning = "who is let in: everybody, or who has an access token (see raimctl token)"},
    {.name = "access_key",
     .kind = READER_TEXT,
     IN_ARENA(access_keys),
     .text = "",
     .parse = parse_access_key,
     .expected = "1 to 4 public keys of 64 hexadecimal digits with a space between them",
     .meaning = "public keys of those who sign access tokens"},
    {.name = "encryption",
     .kind = READER_TEXT,
     IN_ARENA(encryption),
     .text = "offered",
     .parse = parse_encryption,
     .expected = "\"off\", \"offered\" or \"required\"",
     .meaning = "whether datagrams are encrypted: of nobody, of clients that can do it, or of all"},
    {.name = "rules",
     .kind = READER_GROUP,
     IN_ARENA(rules),
     .expected = "a group",
     .keys = rule_keys,
     .applies = READER_WITH_MATCH,
     .meaning = "numbers of the game that differ from their defaults"},
};

#define LIMIT_KEY(limit, its_value, its_min, its_max, its_meaning)                                 \
    {.name = #limit,                                                                               \
     .kind = READER_INTEGER,                                                                       \
     IN(struct gate_limits, limit),                                                                \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .applies = READER_AT_ONCE,                                                                    \
     .meaning = its_meaning},

static const struct reader_key LIMIT_KEYS[] = {
    GATE_LIMITS(LIMIT_KEY){.name = "loopback",
                           .kind = READER_BOOLEAN,
                           IN(struct gate_limits, loopback),
                           .flag = false,
                           .applies = READER_AT_ONCE,
                           .meaning = "whether 127.0.0.0/8 is limited like any other network"},
};

#define RULE_KEY(rule, its_unit, its_value, its_min, its_max, its_meaning)                         \
    {.name = #rule,                                                                                \
     .kind = READER_NUMBER,                                                                        \
     IN(raim_rules, rule),                                                                         \
     .value = its_value,                                                                           \
     .min = its_min,                                                                               \
     .max = its_max,                                                                               \
     .unit = its_unit,                                                                             \
     .applies = READER_WITH_MATCH,                                                                 \
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

// --- Texts ---

// What the caller has measured.
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

static bool is_address(const char *text)
{
    struct in_addr parsed;
    return inet_pton(AF_INET, text, &parsed) == 1;
}

static bool parse_address(const char *text, void *field)
{
    const bool is_good = is_address(text);
    if (is_good)
        copy_text(field, text);
    return is_good;
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

static bool parse_status(const char *text, void *field)
{
    struct config_status status = {0};
    status.is_on = text[0] != '\0' && strcmp(text, "off") != 0;
    if (status.is_on && !config_split_address(text, status.address, &status.port))
        return false;
    memcpy(field, &status, sizeof status);
    return true;
}

bool config_is_path(const char *text)
{
    return text[0] != '\0';
}

static bool parse_path(const char *text, void *field)
{
    (void)field; // loaded with the others
    return config_is_path(text);
}

static bool parse_motd(const char *text, void *field)
{
    char cleaned[RAIM_MAX_TEXT_BYTES + 1];
    const bool is_good =
        text[0] == '\0' || (raim_match_clean(text, cleaned) && strcmp(text, cleaned) == 0);
    if (is_good)
        copy_text(field, text);
    return is_good;
}

static bool parse_log_level(const char *text, void *field)
{
    return log_level_find(text, field);
}

static bool parse_control(const char *text, void *field)
{
    const bool is_good = text[0] == '\0' || strcmp(text, "off") == 0 ||
                         (text[0] == '/' && strlen(text) < CONFIG_CONTROL_BYTES);
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

static bool parse_encryption(const char *text, void *field)
{
    static const char *const names[] = {
        [CONFIG_ENCRYPTION_OFF] = "off",
        [CONFIG_ENCRYPTION_OFFERED] = "offered",
        [CONFIG_ENCRYPTION_REQUIRED] = "required",
    };
    for (int i = 0; i < COUNT(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *(enum config_encryption *)field = (enum config_encryption)i;
            return true;
        }
    }
    return false;
}

static bool parse_access_key(const char *text, void *field)
{
    struct access_control_keys keys = {0};
    const bool is_good = text[0] == '\0' || access_control_read_keys(text, &keys);
    if (is_good)
        memcpy(field, &keys, sizeof keys);
    return is_good;
}
