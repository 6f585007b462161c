// SPDX-License-Identifier: MIT
// Scoreboard: what the head-up display shows of the arena, copied from the client, so that it can
// be drawn while the link's thread receives.
#pragma once

#include "client.h"
#include "ui.h"

#include <stdbool.h>
#include <stdint.h>

struct score {
    raim_player_id id;
    bool own, bot;
    uint32_t score, deaths;
    double ping_ms; // below 0: unknown
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct scoreboard {
    struct raim_client_phase phase;
    char next_map[RAIM_MAX_TITLE_BYTES + 1]; // in a break; "": the map stays
    bool is_spectator;
    bool is_alive;          // the player whose view is shown
    bool awaits_spawn;      // it is down, and waits for a free spawn point
    double respawn_delay_s; // by the rules
    raim_player_id watched; // whose view is shown
    uint32_t score_count;
    struct score scores[RAIM_MAX_PLAYERS]; // sorted
};

// The row of a player in the order of the scores, or score_count.
uint32_t scoreboard_row(const struct scoreboard *scoreboard, raim_player_id id);

// Copies from a client that plays.
void scoreboard_take(struct scoreboard *scoreboard, const struct raim_client *client);

// Sorts by score, best first, then by fewer deaths.
void scoreboard_sort(struct score *scores, uint32_t count);

// Draws the first few scores and the local player's at the right edge of the box.
void scoreboard_draw_top(const struct ui *ui, raim_box box, const struct score *scores,
                         uint32_t count);

// Draws a table of all scores from the row `first` on, which it limits to the last page.
void scoreboard_draw_table(const struct ui *ui, raim_box box, const struct score *scores,
                           uint32_t count, uint32_t *first);

// Moves the first row of the table by a notch of the wheel, up for a `way` above 0.
void scoreboard_scroll(uint32_t *first, int way);
