// SPDX-License-Identifier: MIT
// Loads and checks the keys of the control over TCP, whose files are read when the server starts.
#define _GNU_SOURCE
#include "config_keys.h"
#include "config_loader.h"
#include "crypto.h"

#include <stdlib.h>
#include <string.h>

void config_load_certificate(reader_node node, void *into, void *context)
{
    config_read_pem(node, ((struct config *)into)->control_tcp.certificate, false, context);
}

void config_load_control_key(reader_node node, void *into, void *context)
{
    config_read_pem(node, ((struct config *)into)->control_tcp.key, true, context);
}

void config_load_clients(reader_node node, void *into, void *context)
{
    config_read_pem(node, ((struct config *)into)->control_tcp.clients, false, context);
}

void config_load_control_token(reader_node node, void *into, void *context)
{
    config_read_token(node, ((struct config *)into)->control_tcp.token, context);
}

void config_check_control(const struct config *config, reader_node root)
{
    static const char *const keys[] = {"listen", "certificate", "key", "clients", "token_file"};
    const reader_node group = reader_find(root, "control");
    const struct config_control *control = &config->control_tcp;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!reader_is_good(reader_find(group, keys[i])))
            return;
    const bool has_certificate = control->certificate[0] != '\0';
    const bool has_key = control->key[0] != '\0';
    const bool has_clients = control->clients[0] != '\0';
    union socket_address address;
    const bool is_loopback = socket_address_parse(control->listen.address, 0, &address) &&
                             socket_address_is_loopback(&address);
    if (has_certificate != has_key)
        reader_error(reader_find(group, has_key ? "key" : "certificate"),
                     "got no %s beside it, want both or none", has_key ? "certificate" : "key");
    if (has_clients && !has_certificate)
        reader_error(reader_find(group, "clients"), "got no certificate beside it, want one");
    const bool is_protected =
        has_certificate && has_key && (has_clients || control->token[0] != '\0');
    if (control->listen.is_on && !is_loopback && !is_protected)
        reader_error(reader_find(group, "listen"),
                     "got %s without protection, want an address of 127.0.0.0/8 or [::1], or "
                     "certificate, key, and token_file or clients",
                     control->listen.address);
}

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define IN_ADMIN(member)                                                                           \
    .offset = offsetof(struct config_admin, member),                                               \
    .size = sizeof(((struct config_admin *)0)->member)

static const char *const levels[CONFIG_ADMIN_LEVELS] = {
    [CONFIG_ADMIN_NONE] = "none",
    [CONFIG_ADMIN_HELP] = "help",
    [CONFIG_ADMIN_MODERATE] = "moderate",
    [CONFIG_ADMIN_OPERATE] = "operate",
};

const char *config_admin_level_name(enum config_admin_level level)
{
    return levels[level];
}

static bool parse_name(const char *text, void *field)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.-");
    const bool is_good = length >= 1 && length <= RAIM_MAX_NAME_BYTES && text[length] == '\0';
    if (is_good)
        strcpy(field, text);
    return is_good;
}

bool config_parse_password(const char *text, void *field)
{
    struct config_password *password = field;
    *password = (struct config_password){.is_set = text[0] != '\0'};
    return !password->is_set || password_read(text, &password->password);
}

static bool parse_key(const char *text, void *field)
{
    struct config_admin_key *key = field;
    *key = (struct config_admin_key){.is_set = text[0] != '\0'};
    return !key->is_set ||
           (strlen(text) == RAIM_CRYPTO_KEY_DIGITS && raim_crypto_read_key(text, key->bytes));
}

static bool parse_level(const char *text, void *field)
{
    for (int i = CONFIG_ADMIN_HELP; i < CONFIG_ADMIN_LEVELS; i++)
        if (strcmp(text, levels[i]) == 0) {
            *(uint8_t *)field = (uint8_t)i;
            return true;
        }
    return false;
}

static const struct reader_key ADMIN_KEYS[] = {
    {.name = "name",
     .kind = READER_TEXT,
     IN_ADMIN(name),
     .required = true,
     .example = "ada",
     .parse = parse_name,
     .expected = "1 to 24 characters of A-Z, a-z, 0-9, _, . and -",
     .applies = READER_AT_ONCE,
     .meaning = "name of the admin"},
    {.name = "password",
     .kind = READER_TEXT,
     IN_ADMIN(password),
     .text = "",
     .parse = config_parse_password,
     .expected = CONFIG_PASSWORD_EXPECTED,
     .is_secret = true,
     .applies = READER_AT_ONCE,
     .meaning = "what raimctl password prints"},
    {.name = "key",
     .kind = READER_TEXT,
     IN_ADMIN(key),
     .text = "",
     .parse = parse_key,
     .expected = "64 hexadecimal digits, or \"\"",
     .applies = READER_AT_ONCE,
     .meaning = "public key of Ed25519, as raimctl token key prints it"},
    {.name = "level",
     .kind = READER_TEXT,
     IN_ADMIN(level),
     .required = true,
     .example = "moderate",
     .parse = parse_level,
     .expected = "\"help\", \"moderate\" or \"operate\"",
     .applies = READER_AT_ONCE,
     .meaning = "what the admin may do"},
};

static void check_admin(const struct config *config, reader_node group, int index)
{
    const struct config_admin *admin = &config->admins[index];
    if (!admin->password.is_set && !admin->key.is_set)
        reader_error(group, "got neither a password nor a key, want one");
    for (int i = 0; i < index; i++)
        if (admin->name[0] != '\0' && strcmp(config->admins[i].name, admin->name) == 0)
            reader_value_error(reader_member(group, "name"), "another name than that of admins[%d]",
                               i);
}

void config_load_admins(reader_node list, void *into, void *context)
{
    struct config *config = into;
    const int count = reader_count(list);
    if (count > CONFIG_MAX_ADMINS) {
        reader_value_error(list, "at most %d admins", CONFIG_MAX_ADMINS);
        return;
    }
    config->admin_count = count;
    for (int i = 0; i < count; i++) {
        const reader_node group = reader_item(list, i);
        if (!reader_is_group(group)) {
            reader_value_error(group, "a group { name = ...; password = ...; level = ...; }");
            continue;
        }
        reader_fill(group, ADMIN_KEYS, COUNT(ADMIN_KEYS), &config->admins[i], context);
        check_admin(config, group, i);
    }
}

void config_check_rcon(const struct config *config, reader_node root)
{
    union socket_address address;
    const reader_node node = reader_find(reader_find(root, "rcon"), "listen");
    const struct config_listen *listen = &config->rcon.listen;
    const bool is_loopback =
        socket_address_parse(listen->address, 0, &address) && socket_address_is_loopback(&address);
    if (!listen->is_on)
        return;
    if (!config->rcon.password.is_set)
        reader_error(node, "got no password beside it, want one");
    if (!is_loopback && !config->rcon.is_remote)
        reader_error(node,
                     "got %s, where the password and every command travel unencrypted, want an "
                     "address of 127.0.0.0/8 or [::1], or remote = true",
                     listen->address);
}

static_assert(CONFIG_MAX_MASTERS == 8, "`expected` of masters names the limit");

enum { DEFAULT_PORT = 27950 }; // dpmaster's

// Reads the digits of a port from 1 to 65535.
static bool read_port(const char *text, uint16_t *port)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 5 || text[digits] != '\0' || atol(text) < 1 ||
        atol(text) > UINT16_MAX)
        return false;
    *port = (uint16_t)atol(text);
    return true;
}

// Splits HOST, HOST:PORT, [IPV6] or [IPV6]:PORT. False for any other text.
static bool read_master(const char *text, struct config_master *master)
{
    union socket_address address;
    const bool has_brackets = text[0] == '[';
    const size_t length = strcspn(text, has_brackets ? "]" : ":");
    const char *behind = text + length + (has_brackets && text[length] == ']');
    *master = (struct config_master){.port = DEFAULT_PORT};
    if (length < 1 || length >= sizeof master->host)
        return false;
    memcpy(master->host, text + has_brackets, length - has_brackets);
    if (behind[0] != '\0' && (behind[0] != ':' || !read_port(behind + 1, &master->port)))
        return false;
    const bool is_address = socket_address_parse(master->host, master->port, &address);
    return has_brackets ? is_address && address.any.sa_family == AF_INET6
                        : is_address || http_access_is_name(master->host);
}

static bool is_master(const char *text)
{
    struct config_master master;
    return read_master(text, &master);
}

void config_load_masters(reader_node list, void *into, void *context)
{
    struct config_masters *masters = &((struct config *)into)->masters;
    (void)context;
    const int count = reader_count(list);
    if (count > CONFIG_MAX_MASTERS) {
        reader_value_error(list, "a list of at most %d master servers", CONFIG_MAX_MASTERS);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *text;
        if (reader_text(reader_item(list, i), is_master,
                        "\"HOST:PORT\", \"HOST\" or \"[IPV6]:PORT\"", &text))
            read_master(text, &masters->items[masters->count++]);
    }
}
