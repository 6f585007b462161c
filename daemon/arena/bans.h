// SPDX-License-Identifier: MIT
// Ban lists: immutable lists of banned networks of both families, so that arenas can read one list
// while the main thread makes the next, and the file that stores them.
#pragma once

#include "ip_address.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BANS_MAX 4096
#define BANS_NETWORK_BYTES 50 // an IPv6 address, its prefix and the closing NUL

struct ban {
    struct ip_address network;         // lowest address
    uint32_t prefix;                   // length in bits, 0 to 128; of IPv4 networks 96 or more
    int64_t until_s;                   // seconds of CLOCK_REALTIME; 0: no end
    char why[RAIM_MAX_TEXT_BYTES + 1]; // one line, may be empty
};

struct bans {
    struct bans *next; // for the owner's use
    uint32_t count;
    struct ban items[];
};

// Parses an address of either family or "ADDRESS/PREFIX", whose bits behind the prefix must be 0;
// prints a network in that form. IPv4-mapped addresses are IPv4. An IPv6 address without a prefix
// is its /64, or itself on a link (fe80::/10) and on the loopback.
bool bans_parse(const char *text, struct ip_address *network, uint32_t *prefix);
void bans_print(struct ip_address network, uint32_t prefix, char text[BANS_NETWORK_BYTES]);

// Prints an address alone.
void bans_print_address(struct ip_address ip, char text[BANS_NETWORK_BYTES]);

// The first ban in force that covers an address, or NULL. "::/0" covers no IPv4 address. One of
// 64:ff9b::/96 is covered as the IPv4 address that it stands for, too. NULL
// `bans` is an empty list.
const struct ban *bans_find(const struct bans *bans, struct ip_address ip, int64_t now_s);

// Copies of a list, which the caller frees: with a ban added, replacing one of an equal network,
// and with a network removed. Expired bans are left out. Return NULL when memory runs out, and
// bans_with if the copy would exceed BANS_MAX. NULL `bans` is an empty list.
struct bans *bans_with(const struct bans *bans, const struct ban *ban, int64_t now_s);
struct bans *bans_without(const struct bans *bans, struct ip_address network, uint32_t prefix,
                          int64_t now_s);

// Whether a ban in force has exactly this network. NULL `bans` is an empty list.
bool bans_has(const struct bans *bans, struct ip_address network, uint32_t prefix, int64_t now_s);

// Reads a file; a missing file is an empty list. On failure returns NULL and writes the reason,
// with file and line, into `error`.
struct bans *bans_load(const char *path, char *error, size_t capacity);

// Replaces the file atomically and syncs it to disk. On failure the old file stays; returns false
// and writes the reason into `error`.
bool bans_save(const struct bans *bans, const char *path, char *error, size_t capacity);
