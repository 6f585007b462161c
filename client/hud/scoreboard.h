// SPDX-License-Identifier: MIT
// Scoreboard: what the head-up display shows of the arena, copied from the client, so that it can
// be drawn while the link's thread receives.
#pragma once

#include "client.h"
#include "hud.h"

#include <stdbool.h>
#include <stdint.h>

struct scoreboard {
    struct raim_client_phase phase;
    char next_map[RAIM_MAX_TITLE_BYTES + 1]; // in a break; "": the map stays
    bool is_spectator;
    bool is_alive;          // the player whose view is shown
    bool awaits_spawn;      // it is down, and waits for a free spawn point
    double respawn_delay_s; // by the rules
    raim_player_id watched; // whose view is shown
    uint32_t score_count;
    struct hud_score scores[RAIM_MAX_PLAYERS]; // sorted
};

// The row of a player in the order of the scores, or score_count.
uint32_t scoreboard_row(const struct scoreboard *scoreboard, raim_player_id id);

// Copies from a client that plays.
void scoreboard_take(struct scoreboard *scoreboard, const struct raim_client *client);
