// SPDX-License-Identifier: MIT
// The regions that a matchmaker names, and how far away they are: the shortest of three TCP
// handshakes with an address of the region. Nothing is sent over these connections.
// Thread rule: see http_request.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { REGIONS_MAX = 16 };

struct region {
    char name[32];
    char address[256]; // HOST:PORT
    double ping_ms;    // negative: unknown
};

struct regions {
    int count;
    struct region list[REGIONS_MAX];
};

// Asks a matchmaker for its regions and measures their pings, in 2.5 s at most. Without an answer
// there are no regions. Borrows `regions` until regions_end. NULL when memory runs out.
struct regions_measurement;
struct regions_measurement *regions_begin(const char *url, struct regions *regions);

// Continues without blocking; call it often. Whether everything is measured.
bool regions_poll(struct regions_measurement *measurement);

// Takes NULL.
void regions_end(struct regions_measurement *measurement);

// The same for a program that may block.
void regions_measure(const char *url, struct regions *regions);

// Reads {"regions": {NAME: "HOST:PORT", ...}}, at most REGIONS_MAX of them. Returns false and
// leaves no regions for anything else.
bool regions_read(const char *text, size_t size, struct regions *regions);
