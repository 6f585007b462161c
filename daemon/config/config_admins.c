// SPDX-License-Identifier: MIT
// Loads the admins, and checks the keys of RCON.
#include "config_keys.h"
#include "config_loader.h"

#include "crypto.h"

#include <string.h>

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
