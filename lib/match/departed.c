// SPDX-License-Identifier: MIT
// Players who left during the present round, for its result.
#include "match_internal.h"

#include <string.h>

// The remembered player with the fewest points; the last one of several.
static struct raim_match_player *find_least(const struct raim_match_departed *departed)
{
    struct raim_match_player *least = &departed->rows[0];
    for (uint32_t i = 1; i < departed->count; i++)
        if (departed->rows[i].score <= least->score)
            least = &departed->rows[i];
    return least;
}

static void add(struct raim_match *match, const struct raim_match_player *row)
{
    struct raim_match_departed *departed = &match->departed;
    if (departed->count < match->def.tuning.max_players) {
        departed->rows[departed->count++] = *row;
        return;
    }
    struct raim_match_player *least = find_least(departed);
    departed->omitted++;
    if (row->score > least->score)
        *least = *row;
}

void raim_departed_note(struct raim_match *match, uint32_t slot)
{
    struct raim_match_player row;
    raim_players_fill_row(match, slot, &row);
    const bool has_played = row.shots > 0 || row.deaths > 0 || row.score > 0;
    if (match->rounds.phase == RAIM_PHASE_PLAY && has_played)
        add(match, &row);
}

void raim_departed_carry(struct raim_match *next, const struct raim_match *before)
{
    for (uint32_t i = 0; i < before->departed.count; i++)
        add(next, &before->departed.rows[i]);
    next->departed.omitted += before->departed.omitted;
}

uint32_t raim_match_departed(const struct raim_match *match, struct raim_match_player *players,
                             uint32_t capacity, uint32_t *omitted)
{
    const struct raim_match_departed *departed = &match->departed;
    const uint32_t count = departed->count < capacity ? departed->count : capacity;
    memcpy(players, departed->rows, count * sizeof *players);
    *omitted = departed->omitted + departed->count - count;
    return count;
}
