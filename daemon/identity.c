// SPDX-License-Identifier: MIT
// Keeps the server's lasting key in a file, as a line of hexadecimal digits.
#define _GNU_SOURCE
#include "identity.h"

#include "crypto.h"
#include "directory.h"
#include "log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = CRYPTO_KEY_DIGITS + 1 }; // with the end of the line

static_assert(IDENTITY_KEY_BYTES == CRYPTO_KEY_BYTES, "a key of X25519");

static struct {
    bool known;
    uint8_t secret[IDENTITY_KEY_BYTES];
} identity;

// Whole and on the disk, or not at all.
static bool write_file(const char *directory, const char *path,
                       const uint8_t key[IDENTITY_KEY_BYTES])
{
    char text[TEXT_BYTES + 1], temporary[PATH_MAX];
    crypto_print_key(key, text);
    strcat(text, "\n");
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    unlink(temporary); // of a start that did not get further
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = file >= 0 && write(file, text, TEXT_BYTES) == TEXT_BYTES && fsync(file) == 0;
    if (file >= 0 && close(file) != 0)
        good = false;
    good = good && rename(temporary, path) == 0;
    crypto_forget(text, sizeof text);
    const int parent = good ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    good = parent >= 0 && fsync(parent) == 0;
    const int error = errno;
    if (parent >= 0)
        close(parent);
    unlink(temporary); // where it did not become the other
    errno = error;
    return good;
}

// False with errno, which is 0 for a file that holds no key.
static bool read_file(const char *path, uint8_t key[IDENTITY_KEY_BYTES])
{
    char text[TEXT_BYTES + 2] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool good = fread(text, 1, sizeof text - 1, file) == TEXT_BYTES &&
                      crypto_read_key(text, key) && strcmp(text + TEXT_BYTES - 1, "\n") == 0;
    fclose(file);
    crypto_forget(text, sizeof text);
    errno = 0;
    return good;
}

static bool load(const char *directory, char *error, size_t capacity)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/identity.key", directory) >= (int)sizeof path) {
        snprintf(error, capacity, "cannot keep a key: $STATE_DIRECTORY is too long");
        return false;
    }
    if (read_file(path, identity.secret))
        return true;
    if (errno == ENOENT) {
        crypto_random(identity.secret, sizeof identity.secret);
        if (write_file(directory, path, identity.secret))
            return true;
        snprintf(error, capacity, "cannot write \"%s\": %s", path, strerror(errno));
    } else {
        snprintf(error, capacity, "cannot read \"%s\": %s", path,
                 errno == 0 ? "want 64 hexadecimal digits" : strerror(errno));
    }
    return false;
}

bool identity_get(uint8_t secret[IDENTITY_KEY_BYTES], char *error, size_t capacity)
{
    if (!identity.known) {
        char directory[PATH_MAX];
        uint8_t shown[IDENTITY_KEY_BYTES];
        char text[TEXT_BYTES];
        if (!crypto_start()) {
            snprintf(error, capacity, "no random numbers");
            return false;
        }
        if (!directory_find("STATE_DIRECTORY", directory, sizeof directory)) {
            log_warning("identity is of this start alone: there is no $STATE_DIRECTORY to keep it");
            crypto_random(identity.secret, sizeof identity.secret);
        } else if (!load(directory, error, capacity)) {
            return false;
        }
        crypto_publish(identity.secret, shown);
        crypto_print_key(shown, text);
        log_info("identity started key=%s", text);
        identity.known = true;
    }
    memcpy(secret, identity.secret, sizeof identity.secret);
    return true;
}
