// SPDX-License-Identifier: MIT
// Counts the reserved seats that nobody has taken yet.
#include "seats.h"

#include <stdlib.h>
#include <string.h>

struct seat {
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool is_taken; // its player has come once
};

struct seats {
    uint64_t until_ms;
    uint32_t count, free; // all; those whose player has not come
    struct seat list[];
};

struct seats *seats_create(const char (*names)[RAIM_MAX_NAME_BYTES + 1], uint32_t count,
                           uint64_t until_ms)
{
    struct seats *seats = calloc(1, sizeof *seats + count * sizeof seats->list[0]);
    if (seats == NULL)
        return NULL;
    seats->until_ms = until_ms;
    seats->count = seats->free = count;
    for (uint32_t i = 0; i < count; i++)
        memcpy(seats->list[i].name, names[i], sizeof seats->list[i].name);
    return seats;
}

void seats_destroy(struct seats *seats)
{
    free(seats);
}

bool seats_take(struct seats *seats, const char *name, uint32_t playing, uint32_t most,
                uint64_t now_ms)
{
    if (now_ms >= seats->until_ms)
        return true;
    for (uint32_t i = 0; i < seats->count; i++) {
        struct seat *seat = &seats->list[i];
        if (seat->is_taken || strcmp(seat->name, name) != 0)
            continue;
        seat->is_taken = true;
        seats->free--;
        return true;
    }
    return playing < most && seats->free < most - playing;
}
