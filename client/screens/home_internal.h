// SPDX-License-Identifier: MIT
// The state of the home screen, which home.c changes and home_draw.c draws.
#pragma once

#include "browser.h"
#include "form.h"
#include "home.h"
#include "list.h"
#include "recordings_screen.h"
#include "settings_screen.h"

struct arenas;

// Items of the form. Where none of them has the focus, the list has it.
enum item {
    ITEM_NAME,
    ITEM_RECORDINGS,
    ITEM_SETTINGS,
    ITEM_QUIT,
    ITEM_ADDRESS,
    ITEM_PLAY,
    ITEM_SPECTATE,
    ITEM_SEARCH,
    ITEMS
};

// Columns of the list; a click on the first and on the last one does not play.
enum column { COLUMN_STAR, COLUMN_PLAY, COLUMN_SPECTATE };

struct home {
    struct preferences *preferences;
    struct browser *browser;
    char host[SERVER_HOST_BYTES];
    struct arenas *arenas; // the request under way; NULL: none
    double next_arenas_s;
    struct form form;
    struct entry name, address;
    struct server_address chosen;
    char problem[160];
    struct list list;
    bool is_in_settings, is_in_recordings;
    struct settings_screen settings;
    struct recordings_screen recordings;
    const char *recording;     // that was chosen
    double star_x, spectate_x; // where the columns of the list were drawn, pixels
};

bool home_is_favourite(const struct home *home, const char *address);
