// SPDX-License-Identifier: MIT
// Counts the reserved slots that are still free.
#include "reservations.h"

#include <stdlib.h>
#include <string.h>

struct reservation {
    char name[RAIM_MAX_NAME_BYTES + 1];
    bool is_taken; // its player has come once
};

struct reservations {
    uint64_t until_ms;
    uint32_t count, free; // all; those whose player has not come
    struct reservation list[];
};

struct reservations *reservations_create(const char (*names)[RAIM_MAX_NAME_BYTES + 1],
                                         uint32_t count, uint64_t until_ms)
{
    struct reservations *reservations =
        calloc(1, sizeof *reservations + count * sizeof reservations->list[0]);
    if (reservations == NULL)
        return NULL;
    reservations->until_ms = until_ms;
    reservations->count = reservations->free = count;
    for (uint32_t i = 0; i < count; i++)
        memcpy(reservations->list[i].name, names[i], sizeof reservations->list[i].name);
    return reservations;
}

void reservations_destroy(struct reservations *reservations)
{
    free(reservations);
}

bool reservations_take(struct reservations *reservations, const char *name, uint32_t playing,
                       uint32_t most, uint64_t now_ms)
{
    if (now_ms >= reservations->until_ms)
        return true;
    for (uint32_t i = 0; i < reservations->count; i++) {
        struct reservation *reservation = &reservations->list[i];
        if (reservation->is_taken || strcmp(reservation->name, name) != 0)
            continue;
        reservation->is_taken = true;
        reservations->free--;
        return true;
    }
    return playing < most && reservations->free < most - playing;
}
