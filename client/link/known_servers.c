// SPDX-License-Identifier: MIT
// Reads the file of known servers, and replaces it as a whole.
#include "known_servers.h"

#include "crypto.h"
#include "host_address.h"
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 20 };

bool raim_known_servers_path(char *path, size_t capacity)
{
    return raim_private_file_path("raim/known_servers", path, capacity);
}

bool raim_known_servers_keeps(const char *host)
{
    return strncmp(host, "127.", 4) != 0 && strcmp(host, "::1") != 0 &&
           strcmp(host, "localhost") != 0;
}

enum found { FOUND_NOTHING, FOUND_KEY, FOUND_DAMAGE };

// Finds the line of a server and reads the key in it.
static enum found search(const char *text, const char *name, uint8_t key[RAIM_KEY_BYTES])
{
    const size_t length = strlen(name);
    for (const char *line = text; *line != '\0'; line += *line == '\n') {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            const char *digits = line + length + 1;
            const bool good =
                raim_crypto_read_key(digits, key) &&
                (digits[RAIM_CRYPTO_KEY_DIGITS] == '\n' || digits[RAIM_CRYPTO_KEY_DIGITS] == '\0');
            return good ? FOUND_KEY : FOUND_DAMAGE;
        }
        line += strcspn(line, "\n");
    }
    return FOUND_NOTHING;
}

bool raim_known_server_find(struct raim_known_server *server, const char *path, const char *host,
                            uint16_t port)
{
    *server = (struct raim_known_server){.path = path, .is_done = path == NULL};
    raim_host_address_print(host, port, server->name, sizeof server->name);
    if (path == NULL)
        return true;
    char *text = raim_private_file_read(path, MAX_BYTES);
    if (text == NULL) {
        fprintf(stderr, "known servers: cannot read \"%s\": %s\n", path, strerror(errno));
        return false;
    }
    const enum found found = search(text, server->name, server->key);
    free(text);
    server->has_key = found == FOUND_KEY;
    if (found == FOUND_DAMAGE)
        fprintf(stderr,
                "known servers: \"%s\" is damaged: the line of %s has no key of 64 hexadecimal "
                "digits\n",
                path, server->name);
    return found != FOUND_DAMAGE;
}

// Replaces the file by its old text and one more line. False with errno.
static bool append(const char *path, const char *text, const char *line)
{
    const size_t size = strlen(text);
    char *all = malloc(size + strlen(line) + 2);
    if (all == NULL)
        return false;
    strcpy(all, text);
    if (size > 0 && text[size - 1] != '\n')
        strcat(all, "\n");
    strcat(all, line);
    const bool good = raim_private_file_replace(path, all);
    free(all);
    return good;
}

static void remember(const struct raim_known_server *server)
{
    uint8_t known[RAIM_KEY_BYTES];
    char digits[RAIM_CRYPTO_KEY_DIGITS + 1], line[400];
    char *text = raim_private_file_read(server->path, MAX_BYTES);
    // Another program, or another link of this one, may have stored the key in the meantime.
    if (text == NULL || search(text, server->name, known) != FOUND_NOTHING) {
        free(text);
        return;
    }
    raim_crypto_print_key(server->key, digits);
    snprintf(line, sizeof line, "%s %s\n", server->name, digits);
    if (!append(server->path, text, line))
        fprintf(stderr, "cannot remember the key of %s in \"%s\": %s\n", server->name, server->path,
                strerror(errno));
    free(text);
}

static void warn(const struct raim_known_server *server, const uint8_t *other)
{
    char known[RAIM_CRYPTO_KEY_DIGITS + 1], shown[RAIM_CRYPTO_KEY_DIGITS + 1];
    raim_crypto_print_key(server->key, known);
    raim_crypto_print_key(other, shown);
    fprintf(stderr,
            "WARNING: %s has a key that differs from the known one.\n"
            "  known: %s\n"
            "  shown: %s\n"
            "An attacker may be answering in its place, or its operator has replaced the key. No\n"
            "player data was sent to it. If you trust the new key, remove the line of %s from\n"
            "%s and connect again.\n",
            server->name, known, shown, server->name, server->path);
}

void raim_known_server_update(struct raim_known_server *server, const struct raim_link *link)
{
    uint8_t key[RAIM_KEY_BYTES];
    if (server->is_done || link == NULL)
        return;
    if (server->has_key && raim_link_other_key(link, key)) {
        warn(server, key);
        server->is_done = true;
    } else if (!server->has_key && raim_link_server_key(link, server->key)) {
        server->has_key = true;
        remember(server);
    }
}
