// SPDX-License-Identifier: MIT
// The panel of the running vote: what it is about, its reason, a bar of yes and no with the mark
// that must be reached, the time left, and the keys. It stays for some seconds after the end.
#pragma once

#include "client.h"
#include "ui.h"

enum { VOTE_PANEL_MAPS = 33 };

// What is known of votes, copied from the client, so that it can be drawn while the link receives.
struct vote_panel {
    struct raim_client_vote vote;
    double ended_s;     // when it ended, by the frames' clock; 0: it runs, or none has ended
    uint32_t kinds;     // that may be voted for, see raim_client_vote_kinds
    uint32_t map_count; // to vote for
    char maps[VOTE_PANEL_MAPS][RAIM_MAX_TITLE_BYTES + 1];
};

// Copies from a client that plays.
void vote_panel_take(struct vote_panel *panel, const struct raim_client *client, uint64_t now_us,
                     double now_s);

bool vote_panel_is_shown(const struct vote_panel *panel, double now_s);

// The height of the panel, pixels.
double vote_panel_height(const struct ui *ui);

// Draws it into a box; where that is lower, lines are left out. `yes` and `no` are the labels of
// keys.
void vote_panel_draw(const struct vote_panel *panel, const struct ui *ui, raim_box box,
                     const char *yes, const char *no);
