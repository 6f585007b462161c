// SPDX-License-Identifier: MIT
// The table of the keys outside of the arenas, and the parsers of their text values.
#include "config_root_keys.h"

#include "config_keys.h"
#include "config_loader.h"
#include "http_access.h"

#include <stdlib.h>
#include <string.h>

static_assert(CONFIG_MAX_ARENAS == 256, "`expected` of arenas names the limit");
static_assert(CONFIG_CONTROL_BYTES == 108, "`expected` of socket names the limit");
static_assert(CONFIG_MAX_ADMINS == 32, "`expected` of admins names the limit");
static_assert(CONFIG_MAX_TEMPLATES == 64, "`expected` of templates names the limit");
static_assert(CONFIG_PATH_BYTES == 256, "`expected` of directory names the limit");
static_assert(URL_BYTES == 512, "`expected` of target names the limit");
static_assert(HTTP_MAX_HOSTS == 16, "`expected` of hosts names the limit");

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

// Offset and size of the field that holds a key's value.
#define IN(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define IN_ROOT(member) IN(struct config, member)

static bool parse_status(const char *text, void *field);
static bool parse_ports(const char *text, void *field);
static bool parse_host(const char *text, void *field);
static bool parse_url(const char *text, void *field);
static bool parse_control(const char *text, void *field);
static bool parse_log_level(const char *text, void *field);
static bool parse_agones(const char *text, void *field);
static bool parse_directory(const char *text, void *field);
static bool parse_hook(const char *text, void *field);

static_assert(offsetof(struct http_access, host_count) == 0 &&
                  offsetof(struct http_access, hosts) < offsetof(struct http_access, token),
              "the host names precede the token, so that one copy takes them");

static const struct reader_key HTTP_KEYS[] = {
    {.name = "listen",
     .kind = READER_TEXT,
     IN_ROOT(status),
     .text = "127.0.0.1:7246",
     .parse = parse_status,
     .expected = "\"IPV4:PORT\", \"[IPV6]:PORT\" or \"off\"",
     .meaning = "TCP address that serves the status over HTTP"},
    {.name = "hosts",
     .kind = READER_LIST,
     .offset = offsetof(struct config, status_guard),
     .size = offsetof(struct http_access, token),
     .load = config_load_hosts,
     .expected = "a list of at most 16 names of hosts",
     .meaning = "host names accepted in the Host and Origin headers of status "
                "requests, besides IP addresses and localhost"},
    {.name = "page",
     .kind = READER_TEXT,
     IN_ROOT(page),
     .text = "",
     .parse = parse_url,
     .expected = "an http or https URL, or \"\", of at most 511 bytes",
     .meaning =
         "page of a raim-web, such as \"http://localhost:7240/\", to which the dashboard links: "
         "to play in an arena, to watch it, and to watch recordings, which raim-web's key "
         "recordings has to share. \"?server=HOST\" after it names the host of the arenas "
         "in raim-web's targets, by default 127.0.0.1"},
    {.name = "live_token_file",
     .kind = READER_TEXT,
     IN_ROOT(status_guard.token),
     .load = config_load_token,
     .text = "",
     .expected = "a path to a file without access for others, or \"\"",
     .meaning = "file whose first line is a bearer token; a request with "
                "\"Authorization: Bearer TOKEN\" sees the live map without "
                "spectator_delay; the path is relative to this file"},
};

static const struct reader_key CONTROL_KEYS[] = {
    {.name = "socket",
     .kind = READER_TEXT,
     IN_ROOT(control),
     .text = "",
     .parse = parse_control,
     .expected = "\"off\", \"\", or an absolute path of at most 107 bytes",
     .meaning = "Unix socket that raimctl connects to; \"\" selects control.sock in "
                "$RUNTIME_DIRECTORY, or no socket if that variable is unset"},
    {.name = "listen",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.listen),
     .text = "off",
     .parse = parse_status,
     .expected = "\"IPV4:PORT\", \"[IPV6]:PORT\" or \"off\"",
     .meaning = "TCP address that serves the control API (HTTP with JSON) besides the Unix "
                "socket; an address outside of 127.0.0.0/8 and [::1] needs certificate, "
                "key, and token_file or clients"},
    {.name = "certificate",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.certificate),
     .load = config_load_certificate,
     .text = "",
     .expected = "a path to a PEM file, or \"\"",
     .meaning = "certificate chain of listen, which then speaks HTTPS; the path "
                "is relative to this file"},
    {.name = "key",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.key),
     .load = config_load_control_key,
     .text = "",
     .expected = "a path to a PEM file without access for others, or \"\"",
     .meaning = "private key of certificate; the path is relative to this file"},
    {.name = "clients",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.clients),
     .load = config_load_clients,
     .text = "",
     .expected = "a path to a PEM file, or \"\"",
     .meaning = "certificates of the authorities that sign client certificates; a client "
                "of listen must then show one; the path is relative to this file"},
    {.name = "token_file",
     .kind = READER_TEXT,
     IN_ROOT(control_tcp.token),
     .load = config_load_control_token,
     .text = "",
     .expected = "a path to a file without access for others, or \"\"",
     .meaning = "file whose first line is a bearer token; requests to listen then "
                "need \"Authorization: Bearer TOKEN\"; the path is relative to this file"},
};

static const struct reader_key RCON_KEYS[] = {
    {.name = "listen",
     .kind = READER_TEXT,
     IN_ROOT(rcon.listen),
     .text = "off",
     .parse = parse_status,
     .expected = "\"IPV4:PORT\", \"[IPV6]:PORT\" or \"off\"",
     .meaning = "TCP address that serves Source RCON, whose password and commands are not "
                "encrypted; an address outside of 127.0.0.0/8 and [::1] needs remote"},
    {.name = "password",
     .kind = READER_TEXT,
     IN_ROOT(rcon.password),
     .text = "",
     .parse = config_parse_password,
     .expected = CONFIG_PASSWORD_EXPECTED,
     .is_secret = true,
     .meaning = "password of RCON, whose client may give every command"},
    {.name = "remote",
     .kind = READER_BOOLEAN,
     IN_ROOT(rcon.is_remote),
     .flag = false,
     .meaning = "whether RCON may listen outside of the loopback addresses"},
};

static const struct reader_key GATEWAY_KEYS[] = {
    {.name = "key_file",
     .kind = READER_TEXT,
     .offset = offsetof(struct config, gateway),
     .size = sizeof(struct config_gateway),
     .load = config_load_gateway_key,
     .text = "",
     .expected = "a path to a file without access for others, or \"\"",
     .meaning = "file whose first line is the key that raimd shares with its gateways, of 64 "
                "hexadecimal digits; their players then count by their own addresses for bans, "
                "limits and votes; the path is relative to this file"},
};

static const struct reader_key RECORDINGS_KEYS[] = {
    {.name = "directory",
     .kind = READER_TEXT,
     IN_ROOT(recording_dir),
     .text = "",
     .parse = parse_directory,
     .expected = "\"\" or an absolute path of at most 255 bytes",
     .applies = READER_AT_ONCE,
     .meaning = "directory of recordings, to which only raimd may write; \"\" selects "
                "recordings in $STATE_DIRECTORY, and records nothing if that variable is unset"},
    {.name = "gigabytes",
     .kind = READER_NUMBER,
     IN_ROOT(recording_keep.gigabytes),
     .value = 10,
     .min = 0.001,
     .max = 100000,
     .unit = "GB",
     .applies = READER_AT_ONCE,
     .meaning = "maximum size of all recordings together"},
    {.name = "days",
     .kind = READER_NUMBER,
     IN_ROOT(recording_keep.days),
     .value = 30,
     .min = 0,
     .max = 36500,
     .unit = "days",
     .applies = READER_AT_ONCE,
     .meaning = "maximum age of a recording; 0 sets no limit"},
};

static const struct reader_key RESULTS_KEYS[] = {
    {.name = "enabled",
     .kind = READER_BOOLEAN,
     IN_ROOT(results),
     .flag = true,
     .meaning = "whether the results of rounds are kept in $STATE_DIRECTORY (results.jsonl, "
                "results.db), or in memory if that variable is unset, for raimctl, the "
                "dashboard and /leaderboard"},
};

static const struct reader_key EVENTS_KEYS[] = {
    {.name = "kinds",
     .kind = READER_LIST,
     IN_ROOT(event_kinds),
     .load = config_load_event_kinds,
     .expected = "a list of names of kinds",
     .applies = READER_AT_ONCE,
     .meaning = "kinds of events that are kept for /events, raimctl and hook, of start, "
                "stop, join, leave, chat, kill, round_ended, vote, ban, unban, command, overload "
                "and reload; an empty list keeps all but chat and kill"},
};

static const struct reader_key HOOK_KEYS[] = {
    {.name = "target",
     .kind = READER_TEXT,
     IN_ROOT(event_hook),
     .text = "",
     .parse = parse_hook,
     .load = config_load_hook,
     .expected = "an http or https URL, an absolute path of a program with arguments separated by "
                 "spaces, or \"\", of at most 511 bytes",
     .applies = READER_AT_ONCE,
     .meaning = "receiver of each event: a URL gets it as a POST, a program on its standard input; "
                "a first target, another kind of hook or another port "
                "of its URL needs a restart"},
    {.name = "secret_file",
     .kind = READER_TEXT,
     IN_ROOT(event_hook_secret),
     .load = config_load_hook_secret,
     .text = "",
     .expected = "a path to a file without access for others, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "file whose first line is the key with which requests are signed "
                "(HMAC-SHA256); the path is relative to this file"},
};

static const struct reader_key BANS_KEYS[] = {
    {.name = "list",
     .kind = READER_TEXT,
     IN_ROOT(ban_list),
     .text = "",
     .parse = parse_url,
     .expected = "an http or https URL, or \"\", of at most 511 bytes",
     .meaning = "list of banned networks that raimd fetches at the start, after a reload and every "
                "ten minutes: each line has an address or network, optionally a day or time (UTC) "
                "at which the ban ends, and optionally a reason"},
};

static const struct reader_key ON_DEMAND_KEYS[] = {
    {.name = "address",
     .kind = READER_TEXT,
     IN_ROOT(public_address),
     .text = "",
     .parse = parse_host,
     .expected = "the name or address of a host, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "address of the arenas in answers to matchmakers; \"\" gives an arena's own "
                "address"},
    {.name = "ports",
     .kind = READER_TEXT,
     IN_ROOT(ports),
     .text = "",
     .parse = parse_ports,
     .expected = "\"FIRST-LAST\" with at most 256 ports, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "UDP ports of the arenas, one each"},
    {.name = "templates",
     .kind = READER_LIST,
     .load = config_load_templates,
     .same_files = config_has_same_templates,
     .expected = "a list of at most 64 groups",
     .applies = READER_AT_ONCE,
     .meaning = "templates of arenas: a group each, with the keys of an arena except port; name is "
                "the template's"},
};

static const struct reader_key AGONES_KEYS[] = {
    {.name = "mode",
     .kind = READER_TEXT,
     IN_ROOT(agones),
     .text = "auto",
     .parse = parse_agones,
     .expected = "\"auto\", \"off\" or \"on\"",
     .meaning = "whether raimd reports to the SDK server of Agones, on 127.0.0.1; \"auto\" "
                "does where $AGONES_SDK_HTTP_PORT is set"},
    {.name = "drain",
     .kind = READER_INTEGER,
     IN_ROOT(agones_drain_s),
     .value = 25,
     .min = 1,
     .max = 86400,
     .unit = "s",
     .meaning = "time for which players may stay after a SIGTERM under Agones; less than "
                "terminationGracePeriodSeconds of the pod"},
    {.name = "ready",
     .kind = READER_BOOLEAN,
     IN_ROOT(agones_ready),
     .flag = false,
     .meaning = "whether an allocated GameServer becomes Ready again when the last arena on demand "
                "has ended and the last player has left"},
};

static const struct reader_key DISCOVERY_KEYS[] = {
    {.name = "lan",
     .kind = READER_BOOLEAN,
     IN_ROOT(lan_discovery),
     .flag = true,
     .meaning = "whether clients of the local network find the arenas: UDP port 7245 "
                "answers, if an arena listens beyond this machine"},
    {.name = "masters",
     .kind = READER_LIST,
     IN_ROOT(masters),
     .load = config_load_masters,
     .expected = "a list of at most 8 of \"HOST:PORT\", \"HOST\" and \"[IPV6]:PORT\"",
     .meaning = "master servers (dpmaster) that list the arenas for clients; without "
                "PORT at port 27950"},
};

// A group whose rows describe members of struct config, too.
#define GROUP(group, its_keys, its_meaning)                                                        \
    {                                                                                              \
        .name = group, .kind = READER_GROUP, .expected = "a group", .keys = its_keys,              \
        .applies = READER_AT_ONCE, .meaning = its_meaning                                          \
    }

static const struct reader_table HTTP = {HTTP_KEYS, COUNT(HTTP_KEYS)};
static const struct reader_table CONTROL = {CONTROL_KEYS, COUNT(CONTROL_KEYS)};
static const struct reader_table RCON = {RCON_KEYS, COUNT(RCON_KEYS)};
static const struct reader_table GATEWAY = {GATEWAY_KEYS, COUNT(GATEWAY_KEYS)};
static const struct reader_table RECORDINGS = {RECORDINGS_KEYS, COUNT(RECORDINGS_KEYS)};
static const struct reader_table RESULTS = {RESULTS_KEYS, COUNT(RESULTS_KEYS)};
static const struct reader_table EVENTS = {EVENTS_KEYS, COUNT(EVENTS_KEYS)};
static const struct reader_table HOOK = {HOOK_KEYS, COUNT(HOOK_KEYS)};
static const struct reader_table BANS = {BANS_KEYS, COUNT(BANS_KEYS)};
static const struct reader_table ON_DEMAND = {ON_DEMAND_KEYS, COUNT(ON_DEMAND_KEYS)};
static const struct reader_table AGONES = {AGONES_KEYS, COUNT(AGONES_KEYS)};
static const struct reader_table DISCOVERY = {DISCOVERY_KEYS, COUNT(DISCOVERY_KEYS)};

static const struct reader_key ROOT_KEYS[] = {
    {.name = "workers",
     .kind = READER_INTEGER,
     IN_ROOT(workers),
     .value = 0,
     .min = 0,
     .max = CONFIG_MAX_WORKERS,
     .meaning = "number of threads that run the arenas; 0 starts one per CPU"},
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
    GROUP("http", &HTTP, "the status, the dashboard and the metrics over HTTP"),
    GROUP("control", &CONTROL, "the interface of operators and matchmakers"),
    {.name = "admins",
     .kind = READER_LIST,
     IN_ROOT(admins),
     .load = config_load_admins,
     .expected = "a list of at most 32 groups",
     .applies = READER_AT_ONCE,
     .meaning = "players who may execute commands in the game by /admin, over an encrypted "
                "connection: a group each with name, level, and password or key"},
    GROUP("rcon", &RCON, "Source RCON, for tools that support nothing else"),
    GROUP("gateway", &GATEWAY, "the gateways for players in browsers"),
    GROUP("recordings", &RECORDINGS,
          "storage of recordings; the oldest are deleted first, except those marked by raimctl "
          "recording keep"),
    GROUP("results", &RESULTS, "results of rounds"),
    GROUP("events", &EVENTS, "events for /events, raimctl and hook"),
    GROUP("hook", &HOOK, "receiver of each event"),
    GROUP("bans", &BANS, "bans in addition to those of raimctl ban"),
    GROUP("on_demand", &ON_DEMAND, "arenas that a matchmaker requests at run time"),
    GROUP("agones", &AGONES, "a game server of Agones"),
    GROUP("discovery", &DISCOVERY, "how clients find the arenas, except those on demand"),
    {.name = "arenas",
     .kind = READER_LIST,
     .load = config_load_arenas,
     .required = true,
     .expected = "a list of 1 to 256 groups",
     .keys = &config_arena_keys,
     .applies = READER_AT_ONCE,
     .meaning =
         "the arenas to run, one group each; the list may be empty beside on_demand.templates"},
};

// Keys of earlier versions, and the keys that took their place. The file of such a version is
// rejected with the new names.
static const struct {
    const char *old_name, *new_name;
} RENAMED[] = {
    {"status", "http.listen"},
    {"status_hosts", "http.hosts"},
    {"live_token_file", "http.live_token_file"},
    {"control", "control.socket"},
    {"control_listen", "control.listen"},
    {"control_certificate", "control.certificate"},
    {"control_key", "control.key"},
    {"control_clients", "control.clients"},
    {"control_token_file", "control.token_file"},
    {"rcon", "rcon.listen"},
    {"rcon_password", "rcon.password"},
    {"rcon_remote", "rcon.remote"},
    {"recording_dir", "recordings.directory"},
    {"recording_keep", "recordings.gigabytes and recordings.days"},
    {"results", "results.enabled"},
    {"event_kinds", "events.kinds"},
    {"event_hook", "hook.target"},
    {"event_hook_secret_file", "hook.secret_file"},
    {"ban_list", "bans.list"},
    {"public_address", "on_demand.address"},
    {"ports", "on_demand.ports"},
    {"templates", "on_demand.templates"},
    {"agones", "agones.mode"},
    {"agones_drain", "agones.drain"},
    {"agones_ready", "agones.ready"},
    {"lan_discovery", "discovery.lan"},
    {"masters", "discovery.masters"},
};

void config_reject_renamed(reader_node root)
{
    for (int i = 0; i < COUNT(RENAMED); i++) {
        const reader_node node = reader_find(root, RENAMED[i].old_name);
        const bool is_group_now = strchr(RENAMED[i].new_name, '.') - RENAMED[i].new_name ==
                                      (ptrdiff_t)strlen(RENAMED[i].old_name) &&
                                  reader_is_group(node);
        if (node.setting != NULL && !is_group_now)
            reader_error(node, "got a key of an earlier version, want %s", RENAMED[i].new_name);
    }
}

const struct reader_key *config_root_keys(int *count)
{
    *count = COUNT(ROOT_KEYS);
    return ROOT_KEYS;
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
    union socket_address address;
    const bool is_good =
        text[0] == '\0' || http_access_is_name(text) ||
        (text[0] != '[' && strchr(text, '%') == NULL && socket_address_parse(text, 0, &address));
    if (is_good)
        strcpy(field, text);
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
        strcpy(field, text);
    return is_good;
}

static bool parse_directory(const char *text, void *field)
{
    const bool is_good = text[0] == '\0' || (text[0] == '/' && strlen(text) < CONFIG_PATH_BYTES);
    if (is_good)
        strcpy(field, text);
    return is_good;
}

static bool parse_url(const char *text, void *field)
{
    uint16_t port;
    const bool is_good = text[0] == '\0' || url_read(text, &port);
    if (is_good)
        strcpy(field, text);
    return is_good;
}

static bool parse_hook(const char *text, void *field)
{
    uint16_t port;
    bool is_good =
        text[0] == '\0' || url_read(text, &port) || (text[0] == '/' && strlen(text) < URL_BYTES);
    for (const char *at = text; *at != '\0'; at++)
        is_good = is_good && (unsigned char)*at >= 0x20 && *at != 0x7f;
    if (is_good)
        strcpy(field, text);
    return is_good;
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
