// SPDX-License-Identifier: MIT
// The table of the gateway's keys, and what is checked beyond single values.
#include "web_config.h"

#include "config_loader.h"
#include "crypto.h"
#include "http_access.h"
#include "log.h"
#include "socket_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(WEB_MAX_TARGETS == 64, "`expected` of targets names the limit");
static_assert(CONFIG_PATH_BYTES == 256, "`expected` of page names the limit");

#define IN(member)                                                                                 \
    .offset = offsetof(struct web_config, member), .size = sizeof(((struct web_config *)0)->member)
#define ROWS(array)                                                                                \
    {                                                                                              \
        (array), (int)(sizeof(array) / sizeof *(array))                                            \
    }

static bool parse_address(const char *text, void *field);
static bool parse_listen(const char *text, void *field);
static bool parse_page(const char *text, void *field);
static bool parse_level(const char *text, void *field);
static void load_targets(reader_node list, void *into, void *context);
static void load_certificate(reader_node node, void *into, void *context);
static void load_key(reader_node node, void *into, void *context);
static void load_gateway_key(reader_node node, void *into, void *context);

static const struct reader_key LIMIT_KEYS[] = {
    {.name = "connections",
     .kind = READER_INTEGER,
     IN(limits.connections),
     .value = 1000,
     .min = 1,
     .max = 20000,
     .meaning = "connections in all; each takes up to 160 kB of memory"},
    {.name = "connections_per_address",
     .kind = READER_INTEGER,
     IN(limits.of_address),
     .value = 32,
     .min = 1,
     .max = 20000,
     .meaning = "connections of an address (an IPv4 address or an IPv6 /64), of which Firefox "
                "opens two for a player"},
    {.name = "connections_per_network",
     .kind = READER_INTEGER,
     IN(limits.of_network),
     .value = 128,
     .min = 1,
     .max = 20000,
     .meaning = "connections of a network (an IPv4 /24 or an IPv6 /48)"},
    {.name = "datagrams_per_second",
     .kind = READER_INTEGER,
     IN(datagrams_per_second),
     .value = 300,
     .min = 60,
     .max = 1000,
     .meaning = "datagrams of a player that are carried on, after a burst of as many"},
};
static const struct reader_table LIMITS = ROWS(LIMIT_KEYS);

static const struct reader_key KEYS[] = {
    {.name = "listen",
     .kind = READER_TEXT,
     IN(listen),
     .text = "127.0.0.1:7240",
     .parse = parse_listen,
     .expected = "\"IPV4:PORT\" or \"[IPV6]:PORT\"",
     .meaning =
         "address of WebTransport over HTTP/3 (UDP) and of the page over HTTP, or HTTPS with "
         "certificate (TCP); \"[::]:PORT\" is every address of the machine"},
    {.name = "targets",
     .kind = READER_LIST,
     IN(targets),
     .required = true,
     .load = load_targets,
     .expected = "a list of 1 to 64 of \"HOST:PORT\" and \"[IPV6]:PORT\"",
     .meaning = "arenas that browsers may play in, by their UDP ports; datagrams go to them and "
                "nowhere else. Names are resolved at the start. A space and the public key that "
                "the server logs at its start may follow: then a page never takes another "
                "server for it, not even at the first visit. \"HOST:PORT-PORT\" are all arenas "
                "of these ports, which the page does not list: links and matchmakers lead there"},
    {.name = "page",
     .kind = READER_TEXT,
     IN(page),
     .text = RAIM_WEB_PAGE,
     .parse = parse_page,
     .expected = "\"\" or an absolute path of at most 255 bytes",
     .meaning = "directory of the page's files; \"\" serves none"},
    {.name = "recordings",
     .kind = READER_TEXT,
     IN(recordings),
     .text = "",
     .parse = parse_page,
     .expected = "\"\" or an absolute path of at most 255 bytes",
     .meaning = "directory of recordings that anybody may watch by the link ?watch=NAME, such as "
                "raimd's; \"\" serves none"},
    {.name = "certificate",
     .kind = READER_TEXT,
     IN(certificate),
     .text = "",
     .load = load_certificate,
     .expected = "a path to a PEM file, or \"\"",
     .meaning =
         "certificate chain that browsers trust, read again when it changes; \"\" makes one, "
         "which only pages of this machine and of https sites can use; the path is relative "
         "to this file"},
    {.name = "key",
     .kind = READER_TEXT,
     IN(key),
     .text = "",
     .load = load_key,
     .expected = "a path to a PEM file without access for others, or \"\"",
     .meaning = "private key of certificate; the path is relative to this file"},
    {.name = "gateway_key_file",
     .kind = READER_TEXT,
     IN(gateway_key),
     .text = "",
     .load = load_gateway_key,
     .expected = "a path to a file without access for others, or \"\"",
     .meaning = "file whose first line is the key, of 64 hexadecimal digits, by which raimd "
                "believes the gateway its players' addresses; \"\" lets all players have the "
                "gateway's; the path is relative to this file"},
    {.name = "limits",
     .kind = READER_GROUP,
     .expected = "a group",
     .keys = &LIMITS,
     .meaning = "limits of strangers"},
    {.name = "log_level",
     .kind = READER_TEXT,
     IN(log_level),
     .text = "info",
     .parse = parse_level,
     .expected = LOG_LEVEL_WANT,
     .meaning = "lowest severity that is logged"},
    {.name = "sandbox",
     .kind = READER_BOOLEAN,
     IN(sandbox),
     .flag = true,
     .meaning = "whether raim-web restricts itself to the system calls and files that it needs "
                "(seccomp, Landlock)"},
};
static const struct reader_table TABLE = ROWS(KEYS);

// --- Values ---

bool web_port_read(const char *text, uint16_t *port)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 5 || text[digits] != '\0' || atol(text) > UINT16_MAX)
        return false;
    *port = (uint16_t)atol(text);
    return true;
}

static bool parse_address(const char *text, void *field)
{
    struct web_address *address = field;
    union socket_address numeric;
    const char *colon = strrchr(text, ':');
    const bool has_brackets = text[0] == '[';
    if (colon == NULL || colon == text || strlen(text) >= sizeof address->text)
        return false;
    const size_t length = (size_t)(colon - text) - (has_brackets ? 2 : 0);
    uint16_t port;
    if ((has_brackets && (colon < text + 3 || colon[-1] != ']')) ||
        length >= sizeof address->host || !web_port_read(colon + 1, &port))
        return false;
    *address = (struct web_address){.port = port};
    strcpy(address->text, text);
    memcpy(address->host, text + has_brackets, length);
    const bool is_numeric = socket_address_parse(address->host, address->port, &numeric);
    return has_brackets ? is_numeric && numeric.any.sa_family == AF_INET6
           : is_numeric ? numeric.any.sa_family == AF_INET
                        : http_access_is_name(address->host);
}

static bool parse_listen(const char *text, void *field)
{
    const struct web_address *address = field;
    union socket_address numeric;
    return parse_address(text, field) && socket_address_parse(address->host, 0, &numeric);
}

static bool parse_page(const char *text, void *field)
{
    const bool is_good = (text[0] == '\0' || text[0] == '/') && strlen(text) < CONFIG_PATH_BYTES;
    if (is_good)
        strcpy(field, text);
    return is_good;
}

static bool parse_level(const char *text, void *field)
{
    return log_level_find(text, field);
}

// "HOST:PORT", "HOST:PORT KEY" or "HOST:PORT-PORT".
static bool parse_target(const char *text, struct web_target *target)
{
    char address[WEB_ADDRESS_BYTES];
    uint8_t key[RAIM_CRYPTO_KEY_BYTES];
    const size_t length = strcspn(text, " ");
    const char *digits = text[length] == ' ' ? text + length + 1 : "";
    if (length >= sizeof address || strlen(digits) >= sizeof target->key ||
        (text[length] == ' ' && !raim_crypto_read_key(digits, key)))
        return false;
    snprintf(address, sizeof address, "%.*s", (int)length, text);
    char *colon = strrchr(address, ':');
    char *last = colon != NULL ? strchr(colon, '-') : NULL;
    if (last != NULL)
        *last++ = '\0';
    strcpy(target->key, digits);
    if (!parse_address(address, &target->address) || target->address.port == 0)
        return false;
    target->last_port = target->address.port;
    return last == NULL || (digits[0] == '\0' && web_port_read(last, &target->last_port) &&
                            target->last_port > target->address.port);
}

static bool is_target(const char *text)
{
    struct web_target target;
    return parse_target(text, &target);
}

static void load_targets(reader_node list, void *into, void *context)
{
    struct web_config *config = into;
    const int count = reader_count(list);
    (void)context;
    if (count < 1 || count > WEB_MAX_TARGETS) {
        reader_value_error(list, "a list of 1 to %d arenas", WEB_MAX_TARGETS);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *text;
        if (reader_text(reader_item(list, i), is_target,
                        "\"HOST:PORT\" or \"[IPV6]:PORT\", and a key or -PORT", &text))
            parse_target(text, &config->targets[config->target_count++]);
    }
}

static void load_certificate(reader_node node, void *into, void *context)
{
    config_read_pem(node, ((struct web_config *)into)->certificate, false, context);
}

static void load_key(reader_node node, void *into, void *context)
{
    config_read_pem(node, ((struct web_config *)into)->key, true, context);
}

static void load_gateway_key(reader_node node, void *into, void *context)
{
    struct web_config *config = into;
    config->has_gateway_key = config_read_key(node, config->gateway_key, context);
}

// --- The file ---

static void check(const struct web_config *config, reader_node root)
{
    const bool has_certificate = config->certificate[0] != '\0';
    const bool has_key = config->key[0] != '\0';
    if (has_certificate != has_key && reader_is_good(reader_find(root, "certificate")) &&
        reader_is_good(reader_find(root, "key")))
        reader_error(reader_find(root, has_key ? "key" : "certificate"),
                     "got no %s beside it, want both or none", has_key ? "certificate" : "key");
}

struct web_config *web_config_load(const char *path, struct diagnostics *diagnostics)
{
    const int problems = diagnostics->problems;
    struct web_config *config = calloc(1, sizeof *config);
    if (config == NULL) {
        diagnostics_no_memory(diagnostics);
        return NULL;
    }
    diagnostics->directories = &config->directories;
    struct reader *reader = reader_open(path, NULL, diagnostics);
    if (reader != NULL) {
        struct config_loader loader = {.path = path, .diagnostics = diagnostics};
        diagnostics_hold(diagnostics);
        reader_fill(reader_root(reader), TABLE.rows, TABLE.count, config, &loader);
        check(config, reader_root(reader));
        reader_close(reader);
        diagnostics_release(diagnostics);
    }
    diagnostics->directories = NULL;
    if (reader != NULL && diagnostics->problems == problems && !diagnostics->no_memory)
        return config;
    web_config_free(config);
    return NULL;
}

void web_config_free(struct web_config *config)
{
    if (config == NULL)
        return;
    path_list_clear(&config->directories);
    raim_crypto_wipe(config->gateway_key, sizeof config->gateway_key);
    free(config);
}

const struct reader_key *web_config_keys(int *count)
{
    *count = TABLE.count;
    return TABLE.rows;
}
