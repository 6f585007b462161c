// SPDX-License-Identifier: MIT
// Creates keys and access tokens with libsodium (Ed25519).
#define _GNU_SOURCE
#include "token.h"

#include "access.h"
#include "duration.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A key file contains the secret seed, 32 random bytes, as a line of hexadecimal digits.
enum { SEED_BYTES = crypto_sign_SEEDBYTES, LINE_BYTES = 2 * SEED_BYTES + 1 };

static_assert(RAIM_ACCESS_SIGNATURE_BYTES == crypto_sign_BYTES, "Ed25519");
static_assert(RAIM_KEY_BYTES == crypto_sign_PUBLICKEYBYTES, "as long as a public key of X25519");

static const char default_duration[] = "10m";
static const unsigned long long most_s =
    24 * 60 * 60; // longest validity that arenas accept, see PROTOCOL.md

static bool read_hex(const char *text, size_t length, uint8_t *bytes, size_t size)
{
    size_t read;
    return length == 2 * size &&
           sodium_hex2bin(bytes, size, text, length, NULL, &read, NULL) == 0 && read == size;
}

static bool write_new_file(const char *path, const char *line)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    const size_t size = strlen(line);
    const bool written = write(file, line, size) == (ssize_t)size && fsync(file) == 0;
    const bool closed = close(file) == 0;
    if (!written || !closed)
        unlink(path);
    return written && closed;
}

bool token_make_key(const char *path, char problem[TOKEN_PROBLEM_BYTES])
{
    uint8_t seed[SEED_BYTES], secret[crypto_sign_SECRETKEYBYTES], shown[RAIM_KEY_BYTES];
    char line[LINE_BYTES + 1], text[2 * RAIM_KEY_BYTES + 1];
    if (sodium_init() < 0) {
        strcpy(problem, "no random numbers");
        return false;
    }
    randombytes_buf(seed, sizeof seed);
    crypto_sign_seed_keypair(shown, secret, seed);
    sodium_bin2hex(line, sizeof line, seed, sizeof seed);
    strcat(line, "\n");
    if (!write_new_file(path, line)) {
        snprintf(problem, TOKEN_PROBLEM_BYTES, "%s: %s", path, strerror(errno));
        return false;
    }
    puts(sodium_bin2hex(text, sizeof text, shown, sizeof shown));
    return true;
}

static bool read_key(const char *path, uint8_t secret[crypto_sign_SECRETKEYBYTES])
{
    char line[LINE_BYTES + 1] = "";
    uint8_t seed[SEED_BYTES], shown[RAIM_KEY_BYTES];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool good = fgets(line, sizeof line, file) != NULL &&
                      read_hex(line, strcspn(line, "\n"), seed, sizeof seed);
    fclose(file);
    errno = EINVAL; // errors from here on concern the file's content
    return good && crypto_sign_seed_keypair(shown, secret, seed) == 0;
}

static bool copy_text(char *to, size_t capacity, const char *from)
{
    const size_t length = strlen(from);
    if (length >= capacity)
        return false;
    memcpy(to, from, length + 1);
    return true;
}

// Fills in the period of validity. Returns NULL, or a message about the options.
static const char *fill_times(const struct token_options *options, struct raim_access *access)
{
    const char *duration = options->duration != NULL ? options->duration : default_duration;
    const unsigned long long seconds = duration_read(duration);
    if (seconds == 0)
        return "--for wants a time like 90s, 15m or 2h";
    if (seconds > most_s)
        return "--for wants a day at most: no arena accepts a token that is valid for longer";
    const unsigned long long later =
        options->not_before != NULL ? duration_read(options->not_before) : 0;
    if (later == 0 && options->not_before != NULL)
        return "--not-before wants a time like 90s, 15m, 2h or 7d, from now on";
    access->not_before = (uint64_t)time(NULL) + later;
    access->expiry = access->not_before + seconds;
    return NULL;
}

// Fills in the signed fields except the key id. Returns NULL, or a message about the options.
static const char *fill(const struct token_options *options, struct raim_access *access)
{
    *access = (struct raim_access){0};
    randombytes_buf(access->nonce, sizeof access->nonce);
    if (options->arena[0] == '\0' ||
        !copy_text(access->arena, sizeof access->arena, options->arena))
        return "--arena wants an arena's name of 1 to 31 characters";
    if (options->name != NULL && !copy_text(access->name, sizeof access->name, options->name))
        return "--name wants a name of at most 24 bytes";
    access->has_key = options->server_key != NULL;
    if (access->has_key && !read_hex(options->server_key, strlen(options->server_key), access->key,
                                     sizeof access->key))
        return "--server-key wants 64 hexadecimal digits";
    return fill_times(options, access);
}

bool token_make(const struct token_options *options, char problem[TOKEN_PROBLEM_BYTES])
{
    uint8_t secret[crypto_sign_SECRETKEYBYTES], token[RAIM_ACCESS_BYTES];
    char text[2 * RAIM_ACCESS_BYTES];
    struct raim_access access;
    if (sodium_init() < 0) {
        strcpy(problem, "no random numbers");
        return false;
    }
    const char *mistake = fill(options, &access);
    if (mistake != NULL) {
        strcpy(problem, mistake);
        return false;
    }
    if (!read_key(options->key, secret)) {
        snprintf(problem, TOKEN_PROBLEM_BYTES, "%s: %s", options->key,
                 errno == EINVAL ? "the file has no key" : strerror(errno));
        return false;
    }
    // libsodium's secret key is the seed followed by the public key.
    memcpy(access.key_id, secret + SEED_BYTES, sizeof access.key_id);
    const size_t size = raim_access_write(&access, token);
    crypto_sign_detached(token + size, NULL, token, size, secret);
    puts(sodium_bin2base64(text, sizeof text, token, size + RAIM_ACCESS_SIGNATURE_BYTES,
                           sodium_base64_VARIANT_URLSAFE_NO_PADDING));
    sodium_memzero(secret, sizeof secret);
    return true;
}

static void show_time(FILE *file, const char *what, uint64_t seconds)
{
    char text[64] = "beyond all dates";
    const time_t when = (time_t)seconds;
    struct tm date;
    if (seconds <= INT64_MAX && gmtime_r(&when, &date) != NULL)
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
    fprintf(file, "%-11s %s\n", what, text);
}

// Prints untrusted text: escapes control characters and U+0080 to U+009F, which could contain
// terminal commands.
static void show_text(FILE *file, const char *what, const char *text)
{
    fprintf(file, "%-11s ", what);
    for (uint8_t byte, before = 0; (byte = (uint8_t)*text) != 0; text++, before = byte)
        if (byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0))
            fprintf(file, "\\x%02x", (unsigned)byte);
        else
            fputc(byte, file);
    fputc('\n', file);
}

static void show_hex(FILE *file, const char *what, const uint8_t *bytes, size_t size)
{
    char text[2 * RAIM_KEY_BYTES + 1];
    fprintf(file, "%-11s %s\n", what, sodium_bin2hex(text, sizeof text, bytes, size));
}

bool token_show(const char *text, FILE *file, char problem[TOKEN_PROBLEM_BYTES])
{
    uint8_t token[RAIM_ACCESS_BYTES];
    size_t size;
    struct raim_access access;
    if (sodium_base642bin(token, sizeof token, text, strlen(text), NULL, &size, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        raim_access_read(token, size, &access) == 0) {
        strcpy(problem, "this is not a token of this version");
        return false;
    }
    show_text(file, "arena", access.arena);
    show_text(file, "name", access.name[0] != '\0' ? access.name : "(the player chooses)");
    show_time(file, "not before", access.not_before);
    show_time(file, "expiry", access.expiry);
    show_hex(file, "key id", access.key_id, sizeof access.key_id);
    show_hex(file, "nonce", access.nonce, sizeof access.nonce);
    if (access.has_key)
        show_hex(file, "server key", access.key, sizeof access.key);
    return true;
}
