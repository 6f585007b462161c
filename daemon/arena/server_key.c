// SPDX-License-Identifier: MIT
// Stores the server's static key in a file, as a line of hexadecimal digits.
#define _GNU_SOURCE
#include "server_key.h"

#include "crypto.h"
#include "log.h"
#include "state_file.h"
#include "systemd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = RAIM_CRYPTO_KEY_DIGITS + 1 }; // with the newline

static_assert(RAIM_KEY_BYTES == RAIM_CRYPTO_KEY_BYTES, "a key of X25519");

static struct {
    bool known;
    uint8_t *secret; // in locked memory, until the process ends
} server_key;

static bool write_file(const char *path, const uint8_t key[RAIM_KEY_BYTES])
{
    char text[TEXT_BYTES + 1];
    raim_crypto_print_key(key, text);
    strcat(text, "\n");
    const bool good = state_file_replace(path, text, TEXT_BYTES, STATE_FILE_DISK);
    raim_crypto_wipe(text, sizeof text);
    return good;
}

// Returns false with errno and a reason on failure.
static bool read_file(const char *path, uint8_t key[RAIM_KEY_BYTES], const char **problem)
{
    char text[TEXT_BYTES + 2] = "";
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, problem);
    if (file < 0)
        return false;
    const bool good = read(file, text, sizeof text - 1) == TEXT_BYTES &&
                      raim_crypto_read_key(text, key) && strcmp(text + TEXT_BYTES - 1, "\n") == 0;
    close(file);
    raim_crypto_wipe(text, sizeof text);
    *problem = "want 64 hexadecimal digits";
    errno = EINVAL;
    return good;
}

static bool load(const char *directory, char *error, size_t capacity)
{
    char path[PATH_MAX];
    const char *problem;
    if (snprintf(path, sizeof path, "%s/server.key", directory) >= (int)sizeof path) {
        snprintf(error, capacity, "cannot store a key: the directory's path is too long");
        return false;
    }
    if (read_file(path, server_key.secret, &problem))
        return true;
    if (errno == ENOENT) {
        raim_crypto_random(server_key.secret, RAIM_KEY_BYTES);
        // No client knows this server by a key yet, so the server runs without a stored key.
        if (!write_file(path, server_key.secret))
            log_warning("server key is not stored: cannot write \"%s\": %s", path, strerror(errno));
        return true;
    }
    snprintf(error, capacity, "cannot read \"%s\": %s", path, problem);
    return false;
}

// Reads or generates the secret key. Returns false with a reason if it cannot be read.
static bool find_secret(char *error, size_t capacity)
{
    char directory[PATH_MAX];
    if (unit_directories_find("STATE_DIRECTORY", directory, sizeof directory))
        return load(directory, error, capacity);
    // The key must live as long as the checkpoints, or no client could resume.
    if (unit_directories_find("RUNTIME_DIRECTORY", directory, sizeof directory)) {
        if (load(directory, error, capacity))
            return true;
        log_warning("server key is not stored: %s", error);
    } else {
        log_info("server key is not stored: $STATE_DIRECTORY is not set");
    }
    raim_crypto_random(server_key.secret, RAIM_KEY_BYTES);
    return true;
}

bool server_key_get(uint8_t secret[RAIM_KEY_BYTES], char *error, size_t capacity)
{
    if (!server_key.known) {
        uint8_t public_key[RAIM_KEY_BYTES];
        char text[TEXT_BYTES];
        if (!raim_crypto_init()) {
            snprintf(error, capacity, "no random numbers");
            return false;
        }
        if (server_key.secret == NULL)
            server_key.secret = raim_crypto_allocate(RAIM_KEY_BYTES);
        if (server_key.secret == NULL) {
            snprintf(error, capacity, "out of memory");
            return false;
        }
        if (!find_secret(error, capacity))
            return false;
        raim_crypto_derive_public_key(server_key.secret, public_key);
        raim_crypto_print_key(public_key, text);
        log_info("server key loaded key=%s", text);
        server_key.known = true;
    }
    memcpy(secret, server_key.secret, RAIM_KEY_BYTES);
    return true;
}
