// SPDX-License-Identifier: MIT
// The tables of configuration keys and the parsers of their text values.
#include "config_keys.h"

#include "config_loader.h"
#include "http_guard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_NAME_BYTES == 32, "CONFIG_NAME_EXPECTED says so");
static_assert(CONFIG_MAX_ARENAS == 256, "`expected` of arenas names the limit");
static_assert(CONFIG_ADDRESS_BYTES == INET_ADDRSTRLEN, "a dotted address must fit");
static_assert(CONFIG_CONTROL_BYTES == 108, "`expected` of control names the limit");
static_assert(CONFIG_MAX_TEMPLATES == 64, "`expected` of templates names the limit");
static_assert(CONFIG_MAX_ROTATION == 32, "`expected` of rotation names the limit");
static_assert(HTTP_MAX_HOSTS == 16, "`expected` of status_hosts names the limit");
static_assert(RAIM_MAX_MOTD_BYTES == 120, "`expected` of motd names the limit");

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

// Offset and size of the field that holds a key's value.
#define IN(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define IN_ROOT(member) IN(struct config, member)
#define IN_ARENA(member) IN(struct config_arena, member)

static const struct reader_key *arena_keys(int *count);
static const struct reader_key *limit_keys(int *count);
static const struct reader_key *rule_keys(int *count);
static bool parse_status(const char *text, void *field);
static bool parse_ports(const char *text, void *field);
static bool parse_host(const char *text, void *field);
static bool parse_control(const char *text, void *field);
static bool parse_log_level(const char *text, void *field);
static bool parse_agones(const char *text, void *field);
static bool parse_name(const char *text, void *field);
static bool parse_address(const char *text, void *field);
static bool parse_path(const char *text, void *field);
static bool parse_motd(const char *text, void *field);
static bool parse_access(const char *text, void *field);
static bool parse_access_key(const char *text, void *field);
static bool parse_encryption(const char *text, void *field);

static_assert(offsetof(struct http_guard, host_count) == 0 &&
                  offsetof(struct http_guard, hosts) < offsetof(struct http_guard, token),
              "the host names precede the token, so that one copy takes them");

static const struct reader_key ROOT_KEYS[] = {
    {.name = "workers",
     .kind = READER_INTEGER,
     IN_ROOT(workers),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_WORKERS,
     .meaning = "number of threads that run the arenas; 0 starts one per CPU"},
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
     .meaning = "host names accepted in the Host and Origin headers of status "
                "requests, besides IP addresses and localhost"},
    {.name = "live_token_file",
     .kind = READER_TEXT,
     IN_ROOT(status_guard.token),
     .load = config_load_token,
     .text = "",
     .expected = "a path to a file without access for others, or \"\"",
     .meaning = "file whose first line is a bearer token; a request with "
                "\"Authorization: Bearer TOKEN\" sees the live map without "
                "spectator_delay; the path is relative to this file"},
    {.name = "control",
     .kind = READER_TEXT,
     IN_ROOT(control),
     .text = "",
     .parse = parse_control,
     .expected = "\"off\", \"\", or an absolute path of at most 107 bytes",
     .meaning = "Unix socket that raimctl connects to; \"\" selects control.sock in "
                "$RUNTIME_DIRECTORY, or no socket if that variable is unset"},
    {.name = "control_listen",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.listen),
     .text = "off",
     .parse = parse_status,
     .expected = "\"IPV4:PORT\" or \"off\"",
     .meaning = "TCP address that serves the API of rooms (HTTP with JSON) besides the "
                "Unix socket; an address outside of 127.0.0.0/8 needs "
                "control_certificate, control_key, and control_token_file or "
                "control_clients"},
    {.name = "control_certificate",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.certificate),
     .load = config_load_certificate,
     .text = "",
     .expected = "a path to a PEM file, or \"\"",
     .meaning = "certificate chain of control_listen, which then speaks HTTPS; the path "
                "is relative to this file"},
    {.name = "control_key",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.key),
     .load = config_load_control_key,
     .text = "",
     .expected = "a path to a PEM file without access for others, or \"\"",
     .meaning = "private key of control_certificate; the path is relative to this file"},
    {.name = "control_clients",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.clients),
     .load = config_load_clients,
     .text = "",
     .expected = "a path to a PEM file, or \"\"",
     .meaning = "certificates of the authorities that sign client certificates; a client "
                "of control_listen must then show one; the path is relative to this file"},
    {.name = "control_token_file",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.token),
     .load = config_load_control_token,
     .text = "",
     .expected = "a path to a file without access for others, or \"\"",
     .meaning = "file whose first line is a bearer token; requests to control_listen then "
                "need \"Authorization: Bearer TOKEN\"; the path is relative to this file"},
    {.name = "log_level",
     .kind = READER_TEXT,
     IN_ROOT(log_level),
     .text = "info",
     .parse = parse_log_level,
     .expected = LOG_LEVEL_WANT,
     .applies = READER_AT_ONCE,
     .meaning = "lowest severity that is logged"},
    {.name = "sandbox",
     .kind = READER_BOOLEAN,
     IN_ROOT(sandbox),
     .flag = true,
     .meaning = "whether raimd restricts itself to the system calls and files that it "
                "needs (seccomp, Landlock)"},
    {.name = "core_dumps",
     .kind = READER_BOOLEAN,
     IN_ROOT(core_dumps),
     .flag = false,
     .meaning = "whether a crash may write a core dump, which contains every secret "
                "key, and whether a debugger may attach"},
    {.name = "public_address",
     .kind = READER_TEXT,
     IN_ROOT(public_address),
     .text = "",
     .parse = parse_host,
     .expected = "the name or address of a host, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "address of rooms in answers to matchmakers; \"\" gives the room's "
                "own address"},
    {.name = "ports",
     .kind = READER_TEXT,
     IN_ROOT(ports),
     .text = "",
     .parse = parse_ports,
     .expected = "\"FIRST-LAST\" with at most 256 ports, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "UDP ports of rooms, one each"},
    {.name = "templates",
     .kind = READER_LIST,
     .load = config_load_templates,
     .same_files = config_has_same_templates,
     .expected = "a list of at most 64 groups",
     .applies = READER_AT_ONCE,
     .meaning = "templates of rooms, which are arenas that a matchmaker requests at run "
                "time: a group each with the keys of an arena except port; name is the "
                "template's"},
    {.name = "agones",
     .kind = READER_TEXT,
     IN_ROOT(agones),
     .text = "auto",
     .parse = parse_agones,
     .expected = "\"auto\", \"off\" or \"on\"",
     .meaning = "whether raimd reports to the SDK server of Agones, on 127.0.0.1; \"auto\" "
                "does where $AGONES_SDK_HTTP_PORT is set"},
    {.name = "agones_drain",
     .kind = READER_INTEGER,
     IN_ROOT(agones_drain_s),
     .value = 25,
     .min = 1,
     .max = 86400,
     .unit = "s",
     .meaning = "time for which players may stay after a SIGTERM under Agones; less than "
                "terminationGracePeriodSeconds of the pod"},
    {.name = "agones_ready",
     .kind = READER_BOOLEAN,
     IN_ROOT(agones_ready),
     .flag = false,
     .meaning = "whether an allocated GameServer becomes Ready again when the last room has "
                "ended and the last player has left"},
    {.name = "arenas",
     .kind = READER_LIST,
     .load = config_load_arenas,
     .required = true,
     .expected = "a list of 1 to 256 groups",
     .keys = arena_keys,
     .applies = READER_AT_ONCE,
     .meaning = "the arenas to run, one group each; the list may be empty beside templates"},
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
     .meaning = "unique name of the arena in the status and the log"},
    {.name = "address",
     .kind = READER_TEXT,
     IN_ARENA(address),
     .text = "0.0.0.0",
     .parse = parse_address,
     .expected = "a dotted IPv4 address",
     .meaning = "local address that players connect to; 0.0.0.0 listens on all "
                "addresses"},
    {.name = "port",
     .kind = READER_INTEGER,
     IN_ARENA(port),
     .value = 7246,
     .min = 0,
     .max = UINT16_MAX,
     .meaning = "UDP port; 0 selects a free port, or under Agones the port of the GameServer "
                "that has the arena's name, or its only one"},
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
     IN_ARENA(max_players),
     .value = 64,
     .min = 1,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .room = READER_PLAYERS,
     .meaning = "maximum number of connected players, not counting bots"},
    {.name = "max_spectators",
     .kind = READER_INTEGER,
     IN_ARENA(max_spectators),
     .value = 8,
     .min = 0,
     .max = 1000,
     .applies = READER_AT_ONCE,
     .room = READER_SPECTATORS,
     .meaning = "maximum number of connected spectators, not counting players"},
    {.name = "spectator_delay",
     .kind = READER_NUMBER,
     IN_ARENA(spectator_delay_s),
     .value = 10,
     .min = 0,
     .max = 60,
     .unit = "s",
     .applies = READER_WITH_MATCH,
     .meaning = "delay of everything that spectators see, regardless of their address"},
    {.name = "bots",
     .kind = READER_INTEGER,
     IN_ARENA(bots),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_BOTS,
     .applies = READER_WITH_MATCH,
     .room = READER_BOTS,
     .meaning = "number of players that the server controls"},
    {.name = "tick_hz",
     .kind = READER_INTEGER,
     IN_ARENA(tick_hz),
     .value = 60,
     .min = 10,
     .max = 240,
     .unit = "Hz",
     .meaning = "simulation steps per second, and the maximum number of snapshots per "
                "second to each player"},
    {.name = "view_width",
     .kind = READER_INTEGER,
     IN_ARENA(view_width),
     .value = 1600,
     .min = 100,
     .max = 10000,
     .unit = "units",
     .meaning = "width of the area that each player sees around their own player, "
                "regardless of the display"},
    {.name = "view_height",
     .kind = READER_INTEGER,
     IN_ARENA(view_height),
     .value = 861,
     .min = 100,
     .max = 10000,
     .unit = "units",
     .meaning = "height of the area that each player sees"},
    {.name = "sight",
     .kind = READER_BOOLEAN,
     IN_ARENA(sight),
     .flag = true,
     .meaning =
         "whether obstacles hide what is behind them; the server does not send what is hidden"},
    {.name = "lag_compensation",
     .kind = READER_INTEGER,
     IN_ARENA(lag_compensation_ms),
     .value = 200,
     .min = 0,
     .max = 250,
     .unit = "ms",
     .meaning = "maximum time by which other players are rewound to where a shooter "
                "saw them; 0 disables lag compensation"},
    {.name = "resume_grace",
     .kind = READER_NUMBER,
     IN_ARENA(resume_grace_s),
     .value = 30,
     .min = 0,
     .max = 600,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning = "time for which a player with a lost connection is kept so that the "
                "client can resume"},
    {.name = "idle_timeout",
     .kind = READER_NUMBER,
     IN_ARENA(idle_timeout_s),
     .value = 60,
     .min = 0,
     .max = 86400,
     .unit = "s",
     .applies = READER_AT_ONCE,
     .meaning = "time without a change of input after which a player may be removed to "
                "admit a new one when the arena is full; 0 disables removal"},
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
    {.name = "round_time",
     .kind = READER_NUMBER,
     IN_ARENA(round_s),
     .value = 0,
     .min = 0,
     .max = 86400,
     .unit = "s",
     .applies = READER_WITH_ROUND,
     .meaning = "maximum length of a round; 0 sets no time limit"},
    {.name = "score_limit",
     .kind = READER_INTEGER,
     IN_ARENA(score_limit),
     .value = 0,
     .min = 0,
     .max = 100000,
     .unit = "points",
     .applies = READER_WITH_ROUND,
     .meaning = "score that ends the round when a player reaches it; 0 sets no score "
                "limit"},
    {.name = "break_time",
     .kind = READER_NUMBER,
     IN_ARENA(break_s),
     .value = 10,
     .min = 0,
     .max = 300,
     .unit = "s",
     .applies = READER_WITH_BREAK,
     .meaning = "time between two rounds, during which players cannot move and the "
                "winner is shown"},
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
     IN_ARENA(motd),
     .text = "",
     .parse = parse_motd,
     .expected = "at most 120 bytes of UTF-8 without anything invisible",
     .applies = READER_AT_ONCE,
     .meaning = "message of the day, which is shown to each client that joins"},
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
     .keys = limit_keys,
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
    {.name = "encryption",
     .kind = READER_TEXT,
     IN_ARENA(encryption),
     .text = "offered",
     .parse = parse_encryption,
     .expected = "\"off\", \"offered\" or \"required\"",
     .meaning = "encryption of datagrams: never, for clients that support it, or "
                "required of all clients"},
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
        *count = COUNT(ROOT_KEYS);
        return ROOT_KEYS;
    case CONFIG_ARENA:
        *count = COUNT(ARENA_KEYS);
        return ARENA_KEYS;
    case CONFIG_TEMPLATE:
        *count = COUNT(ARENA_KEYS) - 1;
        return template_keys();
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
    struct config_listen status = {0};
    status.is_on = text[0] != '\0' && strcmp(text, "off") != 0;
    if (status.is_on && !config_split_address(text, status.address, &status.port))
        return false;
    memcpy(field, &status, sizeof status);
    return true;
}

// "FIRST-LAST", two numbers from 1 to 65535.
static bool parse_ports(const char *text, void *field)
{
    enum { DIGITS = 5 };
    unsigned bounds[2] = {0};
    const char *at = text;
    for (int i = 0; i < 2 && text[0] != '\0'; i++) {
        const size_t digits = strspn(at, "0123456789");
        if (digits < 1 || digits > DIGITS || at[digits] != (i == 0 ? '-' : '\0'))
            return false;
        bounds[i] = (unsigned)atol(at);
        if (bounds[i] < 1 || bounds[i] > UINT16_MAX)
            return false;
        at += digits + (i == 0);
    }
    if (bounds[1] < bounds[0] || bounds[1] - bounds[0] >= CONFIG_MAX_ARENAS)
        return false;
    *(struct config_ports *)field =
        (struct config_ports){.first = (uint16_t)bounds[0], .last = (uint16_t)bounds[1]};
    return true;
}

static bool parse_host(const char *text, void *field)
{
    const bool is_good = text[0] == '\0' || http_guard_is_name(text);
    if (is_good)
        copy_text(field, text);
    return is_good;
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

static bool parse_agones(const char *text, void *field)
{
    static const char *const names[] = {
        [CONFIG_AGONES_AUTO] = "auto",
        [CONFIG_AGONES_OFF] = "off",
        [CONFIG_AGONES_ON] = "on",
    };
    for (int i = 0; i < COUNT(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *(enum config_agones *)field = (enum config_agones)i;
            return true;
        }
    }
    return false;
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
