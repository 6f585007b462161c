// SPDX-License-Identifier: MIT
// Ban lists: immutable lists of banned networks of both families, so that arenas can read one list
// while the main thread makes the next, and the file that stores them. An address is searched among
// the sorted networks, so that a datagram costs some 20 comparisons whatever the list's size.
#pragma once

#include "ip_address.h"
#include "text_buffer.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BANS_MAX 4096
#define BANS_MAX_FILE_BYTES (4 << 20)
#define BANS_BY_BYTES 32      // of who banned, with the closing NUL
#define BANS_NETWORK_BYTES 50 // an IPv6 address, its prefix and the closing NUL

struct ban {
    struct ip_address network;         // lowest address
    uint32_t prefix;                   // length in bits, 0 to 128; of IPv4 networks 96 or more
    int64_t until_s;                   // seconds of CLOCK_REALTIME; 0: no end
    char why[RAIM_MAX_TEXT_BYTES + 1]; // one line, may be empty
    char by[BANS_BY_BYTES];            // who banned: printable, without blanks; may be empty
};

// The place of a ban in the search.
struct ban_key {
    struct ip_address network;
    uint32_t prefix;
    uint32_t item;   // in `items`
    uint32_t parent; // key of the nearest network around this one; BANS_NO_PARENT: none
};
#define BANS_NO_PARENT UINT32_MAX

struct bans {
    struct bans *next;          // for the owner's use
    const struct bans *foreign; // a fetched list that applies, too, borrowed; NULL: none
    uint32_t count;
    struct ban_key *keys; // of `count`, sorted; in the memory of the list
    struct ban items[];
};

// Parses an address of either family or "ADDRESS/PREFIX", whose bits after the prefix must be 0;
// prints a network in that form. IPv4-mapped addresses are IPv4. An IPv6 address without a prefix
// is its /64, or itself on a link (fe80::/10) and on the loopback.
bool bans_parse(const char *text, struct ip_address *network, uint32_t *prefix);
void bans_print(struct ip_address network, uint32_t prefix, char text[BANS_NETWORK_BYTES]);

// Prints an address alone.
void bans_print_address(struct ip_address ip, char text[BANS_NETWORK_BYTES]);

// Allocates a list for `capacity` items; NULL when memory runs out. After its items are set,
// bans_sort makes it searchable. Free it with free.
struct bans *bans_allocate(uint32_t capacity);
void bans_sort(struct bans *bans);

// Whether a network contains an address. "::/0" covers no IPv4 address. One of 64:ff9b::/96 is
// covered as the IPv4 address that it stands for, too.
bool bans_covers(struct ip_address network, uint32_t prefix, struct ip_address ip);

// Whether nobody means to ban a network: a quarter of IPv4 or more, that is a prefix of fewer than
// 8 bits, of IPv6 of fewer than 16.
bool bans_is_wide(struct ip_address network, uint32_t prefix);

// A ban in force that covers an address, that of the smallest network, or NULL; also of the foreign
// list. NULL `bans` is an empty list.
const struct ban *bans_find(const struct bans *bans, struct ip_address ip, int64_t now_s);

// The reason of the ban that bans_find finds at present, a printable text; NULL: the address is not
// banned.
const char *bans_reason(const struct bans *bans, struct ip_address ip);

// Copies of a list, which the caller frees: with a ban added, replacing one of an equal network,
// and with a network removed. Expired bans are left out. Return NULL when memory runs out, and
// bans_with if the copy would exceed BANS_MAX. NULL `bans` is an empty list.
struct bans *bans_with(const struct bans *bans, const struct ban *ban, int64_t now_s);
struct bans *bans_without(const struct bans *bans, struct ip_address network, uint32_t prefix,
                          int64_t now_s);

// Whether a ban in force has exactly this network. NULL `bans` is an empty list.
bool bans_has(const struct bans *bans, struct ip_address network, uint32_t prefix, int64_t now_s);

// Lines of a file that are no bans, damaged or of a newer version, byte for byte. All zero: none.
struct bans_unread {
    struct text_buffer text;
    uint32_t first, lines; // the number of the first one, from 1 on, and how many there are
};

// Reads a file; a missing file is an empty list. Adds to `unread` what it does not understand. On
// failure, as of a file beyond BANS_MAX_FILE_BYTES, returns NULL and writes the reason into
// `error`.
struct bans *bans_load(const char *path, struct bans_unread *unread, char *error, size_t capacity);

// The text of such a file, for free(). NULL when memory runs out.
char *bans_text(const struct bans *bans, const struct bans_unread *unread, size_t *size);

// Fetched ban lists: a text of lines "NETWORK[ UNTIL][ REASON]", of which empty ones and
// those that begin with "#" say nothing. UNTIL is a day or a time of UTC, "2026-01-31" or
// "2026-01-31T18:00:00Z". A list is believed as a whole or not at all. Thread rule: any thread.

#define BAN_LIST_MAX 65536 // networks
#define BAN_LIST_MAX_BYTES ((size_t)4 << 20)

// Reads a text, which ends in a NUL after its `size` bytes, and changes it. Returns a searchable
// list, which the caller frees; NULL for a text that is malformed, too long, or bans a network that
// nobody means (see bans_is_wide), and writes why, with the line, into `error`.
struct bans *ban_list_read(char *text, size_t size, char *error, size_t capacity);
