// SPDX-License-Identifier: MIT
// Who is banned: lists of IPv4 networks that never change once made, so that arenas may read one
// while the next is being made; and the file that keeps them.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BANS_MAX 4096
#define BANS_NETWORK_BYTES 19 // "255.255.255.255/32" and the closing NUL

struct ban {
    uint32_t network;                  // lowest address; addresses are in the machine's byte order
    uint32_t prefix;                   // bits of it that count, 0 to 32
    int64_t until_s;                   // CLOCK_REALTIME; 0: for ever
    char why[RAIM_MAX_TEXT_BYTES + 1]; // one line, may be empty
};

struct bans {
    struct bans *next; // its owner's
    uint32_t count;
    struct ban items[];
};

// Reads "A.B.C.D" or "A.B.C.D/PREFIX" without bits behind the prefix, and writes it.
bool bans_parse(const char *text, uint32_t *network, uint32_t *prefix);
void bans_print(uint32_t network, uint32_t prefix, char text[BANS_NETWORK_BYTES]);

// The ban that keeps an address out, or NULL. Takes NULL for no bans.
const struct ban *bans_find(const struct bans *bans, uint32_t address, int64_t now_s);

// New lists, the caller's to free: with a ban, which replaces that of the same network, and without
// one. Both leave out what is over. NULL when memory runs out, or for BANS_MAX bans. Take NULL for
// no bans.
struct bans *bans_with(const struct bans *bans, const struct ban *ban, int64_t now_s);
struct bans *bans_without(const struct bans *bans, uint32_t network, uint32_t prefix,
                          int64_t now_s);

// Whether exactly this network is banned. Takes NULL for no bans.
bool bans_has(const struct bans *bans, uint32_t network, uint32_t prefix, int64_t now_s);

// Reads a file; one that is not there holds no bans. On failure returns NULL and writes the reason,
// with file and line, into `error`.
struct bans *bans_load(const char *path, char *error, size_t capacity);

// Replaces the file by a whole new one, on the disk when this returns, or leaves it as it was.
bool bans_save(const struct bans *bans, const char *path, char *error, size_t capacity);
