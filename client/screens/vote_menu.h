// SPDX-License-Identifier: MIT
// The menu that calls a vote: first the kind, then the player, the map or the minutes.
#pragma once

#include "menu.h"
#include "scoreboard.h"
#include "vote_panel.h"

struct vote_menu {
    struct menu menu;
    enum raim_client_vote_kind kind;    // chosen; 0: not yet
    uint32_t kinds[16];                 // by item, while the kind is chosen
    raim_player_id players[MENU_ITEMS]; // by item, while a player is chosen
};

enum vote_menu_wish { VOTE_MENU_ON, VOTE_MENU_BACK, VOTE_MENU_CALL };

void vote_menu_open(struct vote_menu *menu, const struct vote_panel *panel);

// Handles an event. With VOTE_MENU_CALL fills the call, whose map belongs to the panel.
enum vote_menu_wish vote_menu_handle(struct vote_menu *menu, const struct vote_panel *panel,
                                     const struct scoreboard *scoreboard,
                                     const struct window *window, const struct window_event *event,
                                     struct raim_client_vote_call *call);

void vote_menu_draw(struct vote_menu *menu, const struct ui *ui);
