// SPDX-License-Identifier: MIT
// Ban lists: immutable lists of banned IPv4 networks, so that arenas can read one list while the
// main thread makes the next, and the file that stores them.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BANS_MAX 4096
#define BANS_NETWORK_BYTES 19 // "255.255.255.255/32" and the closing NUL

struct ban {
    uint32_t network;                  // lowest address; host byte order, as every address here
    uint32_t prefix;                   // length in bits, 0 to 32
    int64_t until_s;                   // seconds of CLOCK_REALTIME; 0: no end
    char why[RAIM_MAX_TEXT_BYTES + 1]; // one line, may be empty
};

struct bans {
    struct bans *next; // for the owner's use
    uint32_t count;
    struct ban items[];
};

// Parses "A.B.C.D" or "A.B.C.D/PREFIX", whose bits behind the prefix must be 0; prints a network in
// that form.
bool bans_parse(const char *text, uint32_t *network, uint32_t *prefix);
void bans_print(uint32_t network, uint32_t prefix, char text[BANS_NETWORK_BYTES]);

// The first ban in force that covers an address, or NULL. NULL `bans` is an empty list.
const struct ban *bans_find(const struct bans *bans, uint32_t address, int64_t now_s);

// Copies of a list, which the caller frees: with a ban added, replacing one of an equal network,
// and with a network removed. Expired bans are left out. Return NULL when memory runs out, and
// bans_with if the copy would exceed BANS_MAX. NULL `bans` is an empty list.
struct bans *bans_with(const struct bans *bans, const struct ban *ban, int64_t now_s);
struct bans *bans_without(const struct bans *bans, uint32_t network, uint32_t prefix,
                          int64_t now_s);

// Whether a ban in force has exactly this network. NULL `bans` is an empty list.
bool bans_has(const struct bans *bans, uint32_t network, uint32_t prefix, int64_t now_s);

// Reads a file; a missing file is an empty list. On failure returns NULL and writes the reason,
// with file and line, into `error`.
struct bans *bans_load(const char *path, char *error, size_t capacity);

// Replaces the file atomically and syncs it to disk. On failure the old file stays; returns false
// and writes the reason into `error`.
bool bans_save(const struct bans *bans, const char *path, char *error, size_t capacity);
