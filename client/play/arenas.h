// SPDX-License-Identifier: MIT
// Asks a server over HTTP which arenas it has, without making anybody wait.
#pragma once

#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENAS_MOST = 256, ARENAS_STATUS_PORT = 7246 };

struct arenas_row {
    char name[RAIM_MAX_ARENA_BYTES + 1], map[RAIM_MAX_TITLE_BYTES + 1];
    uint16_t port;
    uint32_t players, bots; // who play now
};

struct arenas;

// Begins to ask a host (a name or a dotted address). NULL when it cannot even begin.
struct arenas *arenas_ask(const char *host);
void arenas_destroy(struct arenas *arenas);

enum arenas_state {
    ARENAS_ASKING,
    ARENAS_KNOWN,
    ARENAS_FAILED,
};

// Goes on; never blocks. Call it once a frame.
enum arenas_state arenas_poll(struct arenas *arenas);

// Once known.
int arenas_count(const struct arenas *arenas);
const struct arenas_row *arenas_at(const struct arenas *arenas, int index);

// Once failed: why, for people.
const char *arenas_problem(const struct arenas *arenas);

// Reads a status of this size into at most ARENAS_MOST rows; returns their number, or -1 when it is
// none.
int arenas_read(const char *status, size_t size, struct arenas_row *rows);
