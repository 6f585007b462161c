// SPDX-License-Identifier: MIT
// Reads the list of a server's arenas from its HTTP status, without blocking.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENAS_MAX = 256, ARENAS_STATUS_PORT = 7246 };

struct arenas_row {
    char name[RAIM_MAX_ARENA_BYTES + 1], map[RAIM_MAX_TITLE_BYTES + 1];
    uint16_t port;
    uint32_t players, bots; // playing now
};

struct arenas;

// Begins a request to a host (a name or a dotted address). NULL when memory runs out.
struct arenas *arenas_ask(const char *host);
void arenas_destroy(struct arenas *arenas);

enum arenas_state {
    ARENAS_ASKING,
    ARENAS_KNOWN,
    ARENAS_FAILED,
};

// Continues the request without blocking. Call it once per frame.
enum arenas_state arenas_poll(struct arenas *arenas);

// KNOWN: the rows; `index` is 0 to arenas_count - 1.
int arenas_count(const struct arenas *arenas);
const struct arenas_row *arenas_at(const struct arenas *arenas, int index);

// FAILED: the error, for people.
const char *arenas_problem(const struct arenas *arenas);

// Reads a status of `size` bytes into at most ARENAS_MAX rows. Returns their number, or -1 where
// the text is not a status.
int arenas_read(const char *status, size_t size, struct arenas_row *rows);
