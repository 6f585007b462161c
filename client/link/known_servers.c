// SPDX-License-Identifier: MIT
// Reads the file of known servers, and replaces it as a whole.
#define _GNU_SOURCE
#include "known_servers.h"

#include "crypto.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

bool raim_known_servers_path(char *path, size_t capacity)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;
    // The XDG Base Directory Specification says that a relative path is ignored.
    if (state != NULL && state[0] == '/')
        length = snprintf(path, capacity, "%s/raim/known_servers", state);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, capacity, "%s/.local/state/raim/known_servers", home);
    return length > 0 && (size_t)length < capacity;
}

bool raim_known_servers_keeps(const char *host)
{
    return strncmp(host, "127.", 4) != 0 && strcmp(host, "localhost") != 0;
}

// Returns the text of the file, to be freed; "" where the file does not exist, NULL with errno
// where it cannot be read.
static char *read_file(const char *path)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? strdup("") : NULL;
    char *text = calloc(1, MOST_BYTES + 1);
    size_t size = 0;
    ssize_t got = text == NULL ? -1 : 1;
    while (got > 0 && size < MOST_BYTES) {
        got = read(file, text + size, MOST_BYTES - size);
        size += got > 0 ? (size_t)got : 0;
    }
    const int error = got < 0 ? errno : size == MOST_BYTES ? EFBIG : 0;
    close(file);
    if (error == 0)
        return text;
    free(text);
    errno = error;
    return NULL;
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
    snprintf(server->name, sizeof server->name, "%s:%u", host, (unsigned)port);
    if (path == NULL)
        return true;
    char *text = read_file(path);
    if (text == NULL) {
        fprintf(stderr, "cannot read the known servers \"%s\": %s\n", path, strerror(errno));
        return false;
    }
    const enum found found = search(text, server->name, server->key);
    free(text);
    server->has_key = found == FOUND_KEY;
    if (found == FOUND_DAMAGE)
        fprintf(stderr, "\"%s\" is damaged: the line of %s has no key of 64 hexadecimal digits\n",
                path, server->name);
    return found != FOUND_DAMAGE;
}

// Makes the directories of a path, accessible to the user alone.
static void make_parents(const char *path)
{
    char parent[PATH_MAX];
    if (strlen(path) >= sizeof parent)
        return;
    strcpy(parent, path);
    for (char *slash = strchr(parent + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(parent, 0700);
        *slash = '/';
    }
}

// Replaces the file atomically by its old text and one more line. False with errno.
static bool replace(const char *path, const char *text, const char *line)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    make_parents(path);
    unlink(temporary); // left by a program that was interrupted
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL)
        return false;
    const size_t size = strlen(text);
    fputs(text, out);
    if (size > 0 && text[size - 1] != '\n')
        fputc('\n', out);
    fputs(line, out);
    bool good = fflush(out) == 0 && !ferror(out) && fsync(file) == 0;
    if (fclose(out) != 0)
        good = false;
    good = good && rename(temporary, path) == 0;
    const int error = errno;
    if (!good)
        unlink(temporary);
    errno = error;
    return good;
}

static void remember(const struct raim_known_server *server)
{
    uint8_t known[RAIM_KEY_BYTES];
    char digits[RAIM_CRYPTO_KEY_DIGITS + 1], line[400];
    char *text = read_file(server->path);
    // Another program, or another link of this one, may have stored the key in the meantime.
    if (text == NULL || search(text, server->name, known) != FOUND_NOTHING) {
        free(text);
        return;
    }
    raim_crypto_print_key(server->key, digits);
    snprintf(line, sizeof line, "%s %s\n", server->name, digits);
    if (!replace(server->path, text, line))
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
            "WARNING: %s shows another key than the one that is known.\n"
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
